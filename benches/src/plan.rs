//! The order in which forks run: paired and interleaved.
//!
//! Every round runs each workload once with each tool, so that a fork and its bare fork run within minutes of each
//! other. The order of the tools rotates from round to round, so that no tool always runs first on a cool machine.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::installation::new_and_empty;

use crate::{ForkSettings, Installation, Measurement, Outcome, Program, Tool, Workload, run_fork};

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tools, the bare JVM among them.
    pub tools: Vec<Tool>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// Forks per tool and workload.
    pub rounds: usize,
    /// Warm-up iterations; the long workloads take half as many, rounded up.
    pub warm_up: usize,
    /// Least duration of a fork's warm-up.
    pub warm_up_seconds: u64,
    /// Measured iterations; the long workloads take half as many, rounded up.
    pub measured: usize,
    /// Further options for every JVM, besides those of the heap.
    pub jvm_options: Vec<String>,
    /// A fork that takes longer counts as failed.
    pub limit: Duration,
}

/// The progress of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Finished forks.
    pub done: usize,
    /// Total number of forks.
    pub all: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// Measurements of the whole rounds so far; empty except at the start of a round.
    pub whole_rounds: &'a [Measurement],
    /// The workload that starts now.
    pub workload: &'a str,
    /// The tool that starts now.
    pub tool: &'a str,
}

impl Plan {
    /// The settings of one workload's forks.
    pub fn settings(&self, workload: &Workload) -> ForkSettings {
        let share = |iterations: usize| {
            if workload.iterations <= 3 {
                iterations.div_ceil(2)
            } else {
                iterations
            }
        };
        let (measured, warm_up) = (share(self.measured), share(self.warm_up));
        let mut settings = ForkSettings::new(measured, warm_up, self.warm_up_seconds);
        settings
            .jvm_options
            .extend(self.jvm_options.iter().cloned());
        settings.limit = self.limit;
        settings
    }

    /// Settings for runs that must all do the same work because their counts are compared: the warm-up is a fixed number of iterations,
    /// regardless of time.
    pub fn fixed_settings(&self, workload: &Workload) -> ForkSettings {
        ForkSettings {
            warm_up_seconds: 0,
            ..self.settings(workload)
        }
    }

    /// Round, workload and tool of every fork, in order.
    fn forks(&self) -> impl Iterator<Item = (usize, &Workload, &Tool)> {
        (0..self.rounds).flat_map(move |round| {
            self.workloads.iter().flat_map(move |workload| {
                let rotated = self.tools.iter().cycle().skip(round).take(self.tools.len());
                rotated.map(move |tool| (round, workload, tool))
            })
        })
    }
}

/// The folder of one fork's files in a plan.
pub(crate) fn fork_path(
    installation: &Installation,
    workload: &str,
    tool: &str,
    round: usize,
) -> PathBuf {
    installation.fork_path(&[workload, tool, &round.to_string()])
}

/// Runs every fork. A failed fork is recorded as failed; only errors that make further forks pointless stop the benchmark.
pub fn run_plan(
    installation: &Installation,
    plan: &Plan,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Measurement>> {
    let started = Instant::now();
    let forks_per_round = plan.workloads.len() * plan.tools.len();
    let all = plan.rounds * forks_per_round;
    let mut checksums = Checksums::default();
    let mut measurements = Vec::with_capacity(all);
    for (round, workload, tool) in plan.forks() {
        let (done, elapsed) = (measurements.len(), started.elapsed());
        progress(Progress {
            done,
            all,
            elapsed,
            whole_rounds: if done == round * forks_per_round {
                &measurements
            } else {
                &[]
            },
            workload: &workload.name,
            tool: &tool.name,
        });
        let directory = new_and_empty(fork_path(installation, &workload.name, &tool.name, round))?;
        let program = Program::Workload(workload.name.clone());
        let settings = plan.settings(workload);
        let mut measurement = run_fork(installation, tool, &program, &settings, &directory)?;
        measurement.round = round;
        checksums.check(&mut measurement);
        measurements.push(measurement);
    }
    Ok(measurements)
}

/// Checks that a workload's checksum is the same in every fork with every tool: a tool that changes it has broken the
/// program.
#[derive(Default)]
struct Checksums {
    by_workload: HashMap<String, String>,
}

impl Checksums {
    fn check(&mut self, measurement: &mut Measurement) {
        if measurement.outcome != Outcome::Done {
            return;
        }
        let Some(checksum) = measurement.checksum().map(str::to_owned) else {
            measurement.outcome =
                Outcome::Failed("no checksum that all iterations share".to_owned());
            return;
        };
        let first = self
            .by_workload
            .entry(measurement.workload.clone())
            .or_insert_with(|| checksum.clone());
        if *first != checksum {
            measurement.outcome =
                Outcome::Failed(format!("checksum {checksum}, but {first} in another fork"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Iteration, select_tools};

    fn workload(name: &str, iterations: usize) -> Workload {
        Workload {
            name: name.to_owned(),
            about: String::new(),
            nightly: false,
            iterations,
        }
    }

    fn plan() -> Plan {
        Plan {
            tools: select_tools(
                &["ducktrack-path".to_owned(), "ducktrack-site".to_owned()],
                &[],
                Vec::new(),
            )
            .unwrap(),
            workloads: vec![workload("json", 5), workload("javac", 3)],
            rounds: 2,
            warm_up: 3,
            warm_up_seconds: 7,
            measured: 5,
            jvm_options: vec!["-Xint".to_owned()],
            limit: Duration::from_secs(1),
        }
    }

    #[test]
    fn rounds_interleave_and_rotate_the_tools() {
        let plan = plan();
        let order: Vec<String> = plan
            .forks()
            .map(|(round, workload, tool)| format!("{round} {} {}", workload.name, tool.name))
            .collect();
        let expected = [
            "0 json bare",
            "0 json ducktrack-path",
            "0 json ducktrack-site",
            "0 javac bare",
            "0 javac ducktrack-path",
            "0 javac ducktrack-site",
            "1 json ducktrack-path",
            "1 json ducktrack-site",
            "1 json bare",
            "1 javac ducktrack-path",
            "1 javac ducktrack-site",
            "1 javac bare",
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn long_workloads_run_half_as_often() {
        let (short, long) = (
            plan().settings(&workload("json", 5)),
            plan().settings(&workload("javac", 3)),
        );
        let iterations = |settings: &ForkSettings| (settings.measured, settings.warm_up);
        assert_eq!((iterations(&short), iterations(&long)), ((5, 3), (3, 2)));
        assert_eq!((short.warm_up_seconds, long.warm_up_seconds), (7, 7));
        assert_eq!(long.jvm_options.last().unwrap(), "-Xint");
    }

    #[test]
    fn a_tool_that_changes_the_checksum_has_failed() {
        let iteration = |checksum: &str| Iteration {
            checksum: Some(checksum.to_owned()),
            ..Iteration::default()
        };
        let fork = |checksums: &[&str]| Measurement {
            workload: "json".to_owned(),
            tool: "bare".to_owned(),
            round: 0,
            outcome: Outcome::Done,
            iterations: checksums
                .iter()
                .map(|checksum| iteration(checksum))
                .collect(),
            warm_up: 0,
            process_wall_ms: 1.0,
            process_cpu_ms: 1.0,
            peak_memory_bytes: None,
        };
        let mut checksums = Checksums::default();
        let (mut first, mut other, mut torn) =
            (fork(&["a", "a"]), fork(&["b", "b"]), fork(&["a", "b"]));
        for measurement in [&mut first, &mut other, &mut torn] {
            checksums.check(measurement);
        }
        assert_eq!(first.outcome, Outcome::Done);
        assert_eq!(
            other.outcome,
            Outcome::Failed("checksum b, but a in another fork".to_owned())
        );
        assert!(matches!(torn.outcome, Outcome::Failed(_)));
    }
}
