//! What counting costs while a program warms up: CPU of whole processes that run for about ten seconds.
//!
//! The same number of iterations for every fork of a workload, so that all do the same work: as many as the bare JVM makes in
//! [`SECONDS`], found by one fork that is not measured. In every round the bare JVM runs twice, so the table shows its own noise.

use anyhow::{Result, bail};
use serde::Serialize;

use crate::{
    ForkSettings, Installation, Outcome, Program, Tool, Workload, geometric_mean, median, run_fork,
};

/// How long the bare JVM runs, about.
const SECONDS: u64 = 10;
/// Programs of the suite with much code and little warm-up, if no others are named.
pub const WARM_UP_WORKLOADS: [&str; 6] = ["javac", "jython", "xalan", "fop", "h2", "lusearch"];

/// What is compared with the bare JVM: the heading, and the agent's options. The last ones change a part, so that its share is seen.
const VARIANTS: [(&str, Option<&str>); 4] = [
    ("bare again", None),
    ("counting", Some("mode=count")),
    ("`context=off`", Some("mode=count,context=off")),
    (
        "`counters=path:10000:0.5`",
        Some("mode=count,counters=path:10000:0.5"),
    ),
];

/// CPU of whole processes in milliseconds, one of each per round.
#[derive(Clone, Debug, Serialize)]
pub struct WarmUp {
    /// The workload.
    pub workload: String,
    /// Iterations of every fork.
    pub iterations: usize,
    /// The bare JVM.
    pub bare: Vec<f64>,
    /// In the order of the table's columns.
    pub variants: Vec<Vec<f64>>,
}

impl WarmUp {
    fn ratio(&self, variant: usize) -> Option<f64> {
        let cpu = self.variants.get(variant)?;
        median(cpu.iter().zip(&self.bare).map(|(cpu, bare)| cpu / bare))
    }
}

/// Runs the workloads in rounds.
pub fn measure_warm_up(
    installation: &Installation,
    workloads: &[Workload],
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<WarmUp>> {
    let tools = tools();
    let mut rows = Vec::new();
    for workload in workloads {
        progress(&format!("warm-up, {}: iterations", workload.name));
        let iterations = iterations(installation, &tools[0], workload)?;
        let settings = ForkSettings::new(iterations, 0, 0);
        let mut cpu = vec![Vec::new(); tools.len()];
        for round in 0..rounds {
            for place in 0..tools.len() {
                let number = (place + round) % tools.len();
                let tool = &tools[number];
                progress(&format!("warm-up, {} with {}", workload.name, tool.name));
                cpu[number].push(process_cpu(installation, tool, workload, &settings, round)?);
            }
        }
        rows.push(WarmUp {
            workload: workload.name.clone(),
            iterations,
            bare: cpu.remove(0),
            variants: cpu,
        });
    }
    Ok(rows)
}

/// The bare JVM, and the variants.
fn tools() -> Vec<Tool> {
    let named = |number: usize, options: Option<&str>| {
        let name = format!("warm-up-{number}");
        match options {
            Some(options) => Tool::ducktrack(&name, options),
            None => Tool::custom(&name, Vec::new()),
        }
    };
    let options = std::iter::once(None).chain(VARIANTS.map(|(_, options)| options));
    let numbered = options.enumerate();
    numbered
        .map(|(number, options)| named(number, options))
        .collect()
}

/// How many iterations the bare JVM makes in the time.
fn iterations(installation: &Installation, bare: &Tool, workload: &Workload) -> Result<usize> {
    let directory = installation.fork_directory(&[&workload.name, &bare.name, "iterations"])?;
    let program = Program::Workload(workload.name.clone());
    let settings = ForkSettings::new(1, 0, SECONDS);
    let fork = run_fork(installation, bare, &program, &settings, &directory)?;
    Ok(fork.warm_up.min(fork.iterations.len()).max(1))
}

fn process_cpu(
    installation: &Installation,
    tool: &Tool,
    workload: &Workload,
    settings: &ForkSettings,
    round: usize,
) -> Result<f64> {
    let directory =
        installation.fork_directory(&[&workload.name, &tool.name, &round.to_string()])?;
    let program = Program::Workload(workload.name.clone());
    let fork = run_fork(installation, tool, &program, settings, &directory)?;
    match fork.outcome {
        Outcome::Done => Ok(fork.process_cpu_ms),
        outcome => bail!("{} with {}: {outcome:?}", workload.name, tool.name),
    }
}

/// The table as Markdown: medians of the ratios of each round, and their geometric means.
pub fn warm_up_table(rows: &[WarmUp]) -> String {
    let headings = VARIANTS.map(|(heading, _)| heading).join(" | ");
    let mut text = format!("| workload | iterations | CPU of the bare JVM (s) | {headings} |\n");
    text += &format!("|---|{}\n", "---:|".repeat(2 + VARIANTS.len()));
    let line = |ratio: &dyn Fn(usize) -> Option<f64>| {
        let cells = (0..VARIANTS.len()).map(ratio);
        let cells = cells.map(|ratio| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}")));
        cells.collect::<Vec<_>>().join(" | ")
    };
    for row in rows {
        let seconds = median(row.bare.iter().copied()).unwrap_or(0.0) / 1e3;
        text += &format!(
            "| {} | {} | {seconds:.1} | {} |\n",
            row.workload,
            row.iterations,
            line(&|variant| row.ratio(variant)),
        );
    }
    let mean = |variant: usize| geometric_mean(rows.iter().filter_map(|row| row.ratio(variant)));
    text += &format!("| **geometric mean** | | | {} |\n", line(&mean));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_rounds() {
        let row = |bare: [f64; 3], counting: [f64; 3]| WarmUp {
            workload: "json".to_owned(),
            iterations: 4,
            bare: bare.to_vec(),
            variants: vec![bare.to_vec(), counting.to_vec()],
        };
        // The machine became slower by half in the last round: the ratio did not.
        let rows = [
            row([1e4, 1e4, 1.5e4], [1.1e4, 1.2e4, 1.65e4]),
            row([1e4, 1e4, 1e4], [1.1e4, 1.1e4, 1.1e4]),
        ];
        let table = warm_up_table(&rows);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| json | 4 | 10.0 | 1.000 | 1.100 | - | - |");
        assert_eq!(
            lines[2],
            "| **geometric mean** | | | 1.000 | 1.100 | - | - |"
        );
    }
}
