//! What is known of a run whose trace has no end record: whether its process still runs, and where the values come from.

use crate::ThreadId;

/// Whether the JVM of a trace runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessState {
    /// The process that wrote the trace is there, on this machine.
    Running,
    /// It is not.
    Gone,
    /// Unknown here: the trace does not name the process, or is of another machine or container.
    #[default]
    Unknown,
}

impl ProcessState {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Gone => "killed",
            Self::Unknown => "unknown",
        }
    }
}

/// A run without an end record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingEnd {
    /// Whether it goes on.
    pub process: ProcessState,
    /// Its process id, 0: not known.
    pub pid: u32,
    /// When the agent looked around last, milliseconds since 1970; 0: never.
    pub looked_at_unix_millis: u64,
    /// The VM had said that it ends, but the last word could not be written.
    pub vm_ended: bool,
    /// The system's number of the last error that kept the trace from being written.
    pub write_error: Option<u64>,
    /// The values are those of the mapped counters: each thread's up to its last instruction.
    pub has_counters: bool,
    /// Threads whose counters were in private memory: they have the values of the last snapshot, or none.
    pub private_threads: Vec<ThreadId>,
    /// Threads a part of whose counters was in private memory.
    pub partly_private_threads: Vec<ThreadId>,
}

impl MissingEnd {
    /// True when some counts went with the process, or would go with it.
    pub fn has_private_counts(&self) -> bool {
        !self.private_threads.is_empty() || !self.partly_private_threads.is_empty()
    }
}
