//! The result of one fork of one workload with one tool.

use serde::Serialize;

use crate::statistics::median;

/// One measured iteration inside a fork, as the harness reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Iteration {
    /// Counted from 0; the first ones are warm-up.
    pub number: usize,
    /// Wall time.
    pub wall_ms: f64,
    /// CPU time of the application's threads, without compiler and collector threads.
    pub cpu_ms: Option<f64>,
    /// Bytes that these threads allocated.
    pub allocated_bytes: Option<f64>,
    /// The workload's own checksum.
    pub checksum: Option<String>,
}

/// How a fork ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All iterations ran and agreed.
    Done,
    /// The workload cannot run here, for the reason that the harness gave.
    Skipped(String),
    /// The JVM failed, or exceeded its time limit.
    Failed(String),
}

/// The identity, outcome and values of a fork.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// Name of the workload.
    pub workload: String,
    /// Name of the tool.
    pub tool: String,
    /// The round of the plan; forks of the same round are compared with each other.
    pub round: usize,
    /// How the fork ended.
    pub outcome: Outcome,
    /// All iterations, including warm-up.
    pub iterations: Vec<Iteration>,
    /// How many of them are warm-up.
    pub warm_up: usize,
    /// From the start of the process to its end.
    pub process_wall_ms: f64,
    /// User and system time of the whole process, all its threads.
    pub process_cpu_ms: f64,
    /// Largest resident set observed.
    pub peak_memory_bytes: Option<f64>,
}

/// A value that can be compared between two forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Application CPU time of the best measured iteration.
    Cpu,
    /// Wall time of the best measured iteration.
    Wall,
    /// Peak resident memory of the process.
    Memory,
    /// Allocated bytes per iteration (median).
    Allocated,
    /// CPU time of the process from its start to its end, warm-up and all threads included.
    WholeRun,
}

impl Metric {
    /// The metrics of cost in time; the least noisy of them is quoted first.
    pub const TIMES: [Metric; 2] = [Metric::Cpu, Metric::Wall];
    /// All metrics.
    pub const ALL: [Metric; 5] = [
        Metric::Cpu,
        Metric::Wall,
        Metric::Memory,
        Metric::Allocated,
        Metric::WholeRun,
    ];

    /// The name for table headers.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Cpu => "application CPU time",
            Metric::Wall => "wall time",
            Metric::Memory => "peak memory",
            Metric::Allocated => "allocated bytes",
            Metric::WholeRun => "CPU of the whole process",
        }
    }

    /// The unit of absolute values in a table, and its factor.
    pub fn unit(self) -> (&'static str, f64) {
        match self {
            Metric::Cpu | Metric::Wall | Metric::WholeRun => ("ms", 1.0),
            Metric::Memory | Metric::Allocated => ("MB", 1e6),
        }
    }
}

impl Measurement {
    /// The iterations after the warm-up.
    pub fn measured(&self) -> impl Iterator<Item = &Iteration> {
        self.iterations.iter().skip(self.warm_up)
    }

    /// This fork's value of a metric; `None` if the fork failed or the machine cannot measure it.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        if self.outcome != Outcome::Done {
            return None;
        }
        match metric {
            Metric::Cpu => smallest(self.measured().filter_map(|iteration| iteration.cpu_ms)),
            Metric::Wall => smallest(self.measured().map(|iteration| iteration.wall_ms)),
            Metric::Memory => self.peak_memory_bytes,
            Metric::Allocated => median(
                self.measured()
                    .filter_map(|iteration| iteration.allocated_bytes),
            ),
            Metric::WholeRun => Some(self.process_cpu_ms),
        }
    }

    /// The checksum of all iterations; `None` if they differ.
    pub fn checksum(&self) -> Option<&str> {
        let first = self.iterations.first()?.checksum.as_deref()?;
        let same = self
            .iterations
            .iter()
            .all(|iteration| iteration.checksum.as_deref() == Some(first));
        same.then_some(first)
    }
}

fn smallest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.min_by(f64::total_cmp)
}
