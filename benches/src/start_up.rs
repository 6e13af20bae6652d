//! The start-up cost of a tool: the program that does nothing, with and without the tool.

use anyhow::Result;
use serde::Serialize;

use crate::{ForkSettings, Installation, Measurement, Outcome, Program, Spread, Tool, run_fork};

/// Times of a program that does nothing, from the start of the process to its end.
#[derive(Clone, Debug, Serialize)]
pub struct StartUp {
    /// The tool.
    pub tool: String,
    /// Wall time in milliseconds; `None` if the JVM failed.
    pub wall_ms: Option<Spread>,
    /// CPU time of all threads in milliseconds.
    pub cpu_ms: Option<Spread>,
    /// Wall time minus the bare JVM's of the same round.
    pub added_ms: Option<Spread>,
    /// Peak memory minus the bare JVM's of the same round, in bytes.
    pub added_memory: Option<Spread>,
}

/// Runs the empty program with every tool, in rounds; the first tool is the bare JVM.
pub fn measure_start_up(
    installation: &Installation,
    tools: &[Tool],
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<StartUp>> {
    let settings = ForkSettings::new(0, 0, 0);
    let mut runs: Vec<Vec<Measurement>> = vec![Vec::new(); tools.len()];
    progress(&format!(
        "start-up, {rounds} rounds of {} tools",
        tools.len()
    ));
    for round in 0..rounds {
        for (tool, runs) in tools.iter().zip(&mut runs) {
            let directory =
                installation.fork_directory(&["empty", &tool.name, &round.to_string()])?;
            runs.push(run_fork(
                installation,
                tool,
                &Program::Empty,
                &settings,
                None,
                &directory,
            )?);
        }
    }
    let bare = runs.first().cloned().unwrap_or_default();
    Ok(tools
        .iter()
        .zip(runs)
        .map(|(tool, runs)| summarize(tool, &runs, &bare))
        .collect())
}

fn summarize(tool: &Tool, runs: &[Measurement], bare: &[Measurement]) -> StartUp {
    let done = |run: &&Measurement| run.outcome == Outcome::Done;
    let pairs = || {
        runs.iter()
            .zip(bare)
            .filter(|(run, _)| run.outcome == Outcome::Done)
    };
    StartUp {
        tool: tool.name.clone(),
        wall_ms: Spread::of(runs.iter().filter(done).map(|run| run.process_wall_ms)),
        cpu_ms: Spread::of(runs.iter().filter(done).map(|run| run.process_cpu_ms)),
        added_ms: Spread::of(pairs().map(|(run, bare)| run.process_wall_ms - bare.process_wall_ms)),
        added_memory: Spread::of(
            pairs()
                .filter_map(|(run, bare)| Some(run.peak_memory_bytes? - bare.peak_memory_bytes?)),
        ),
    }
}
