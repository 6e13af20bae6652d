//! Writes a large trace, replays it, and prints how fast that was and how much memory it took.
//!
//! ```text
//! cargo run --release -p ducktrack-analyses --example synthetic_trace -- write DIR MILLION_EVENTS
//! cargo run --release -p ducktrack-analyses --example synthetic_trace -- read DIR [WORKERS]
//! ```

mod generator;

use std::path::Path;
use std::time::Instant;

use ducktrack_analyses::{
    CostBuilder, CostQuestion, HeapMoments, JudgedSpan, LifetimeTallies, SurvivorsBuilder,
    TimelineCourse,
};
use ducktrack_heap_replay::Moment;
use ducktrack_test_support::replay_files;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["write", directory, million] => {
            write(Path::new(directory), million.parse().expect("a number"))
        }
        ["read", directory] => read(
            Path::new(directory),
            std::thread::available_parallelism().map_or(1, usize::from),
        ),
        ["read", directory, workers] => {
            read(Path::new(directory), workers.parse().expect("a number"))
        }
        _ => eprintln!("usage: synthetic_trace write DIR MILLION_EVENTS | read DIR [WORKERS]"),
    }
}

fn write(directory: &Path, million: u64) {
    let start = Instant::now();
    let bytes =
        generator::write(directory, million * 1_000_000).expect("the directory can be written");
    println!(
        "wrote {million} M events, {} MB in {:.1} s",
        bytes >> 20,
        start.elapsed().as_secs_f64()
    );
}

fn read(directory: &Path, workers: usize) {
    let question = (
        HeapMoments::new(vec![Moment::End]),
        LifetimeTallies::default(),
        TimelineCourse::default(),
        SurvivorsBuilder::new(JudgedSpan::default()),
        CostBuilder::new(&CostQuestion::default()),
    );
    let start = Instant::now();
    let (model, (heaps, ..)) =
        replay_files(directory, generator::names(), question, workers, 64 << 20);
    let seconds = start.elapsed().as_secs_f64();
    let info = &model.info;
    let live = heaps
        .first()
        .and_then(Option::as_ref)
        .map_or(0, |heap| heap.total.count);
    println!(
        "{} events, {} survivors, {} collections, {live} live at the end, {} unexplained",
        info.sums.events, info.survivors, info.collections, info.unexplained_survivors
    );
    println!(
        "{seconds:.2} s with {workers} workers: {:.1} M events/s, {:.1} M events per second of CPU time, peak memory {}",
        info.sums.events as f64 / seconds / 1e6,
        info.sums.events as f64 / cpu_seconds() / 1e6,
        peak_memory()
    );
}

/// CPU time of this process on Linux, in hundredths of seconds; on a machine with other work it depends less on chance than the clock.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// The most memory this process ever had.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "not known".to_owned(), |line| line.trim().to_owned())
}
