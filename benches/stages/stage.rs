//! The times of some stages: each in turn, round by round, so that slow drifts of the machine affect all equally.

use std::hint::black_box;
use std::time::Instant;

use ducktrack_benches::Spread;

const ROUNDS: usize = 10;

/// One step over all of its elements.
pub(crate) struct Stage<'a> {
    pub(crate) name: &'static str,
    /// The unit of the elements.
    pub(crate) unit: &'static str,
    pub(crate) elements: usize,
    /// Its result is only there to be kept by the optimizer.
    pub(crate) work: Box<dyn Fn() -> usize + 'a>,
}

/// A table in Markdown: elements per second of each stage.
pub(crate) fn measure(stages: &[Stage<'_>]) -> String {
    let mut seconds = vec![Vec::new(); stages.len()];
    // The first round warms up.
    for round in 0..=ROUNDS {
        for (stage, seconds) in stages.iter().zip(&mut seconds) {
            let start = Instant::now();
            black_box((stage.work)());
            if round > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
    }
    let rows = stages.iter().zip(seconds);
    let rows = rows.filter_map(|(stage, seconds)| Some(row(stage, Spread::of(seconds)?)));
    "| stage | elements | per second | quartiles |\n|---|---:|---:|---:|\n".to_owned()
        + &rows.collect::<String>()
}

fn row(stage: &Stage<'_>, seconds: Spread) -> String {
    let (name, unit, elements) = (stage.name, stage.unit, stage.elements);
    let speed = |seconds: f64| elements as f64 / seconds;
    format!(
        "| {name} | {elements} {unit} | {:.0} | {:.0} to {:.0} |\n",
        speed(seconds.median),
        speed(seconds.high),
        speed(seconds.low)
    )
}
