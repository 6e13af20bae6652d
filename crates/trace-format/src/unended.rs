//! The state of a run whose trace has no end record: whether its process is still running, and where the values come
//! from.

use crate::ThreadId;

/// Whether the JVM that wrote a trace is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessState {
    /// The process that wrote the trace is running on this machine.
    Running,
    /// The process is gone.
    Gone,
    /// Unknown: the trace does not name the process, or comes from another machine or container.
    #[default]
    Unknown,
}

impl ProcessState {
    /// The name in JSON.
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
    /// Whether its process is running.
    pub process: ProcessState,
    /// Its process id; 0 if unknown.
    pub pid: u32,
    /// When the agent last updated the counters, milliseconds since 1970; 0: never.
    pub looked_at_unix_millis: u64,
    /// The VM had announced its end, but the end record could not be written.
    pub vm_ended: bool,
    /// The system's error number of the last failed write of the trace.
    pub write_error: Option<u64>,
    /// The values are those of the mapped counters: exact for each thread up to its last instruction.
    pub has_counters: bool,
    /// Threads whose counters were in private memory: they have the values of the last snapshot, or none. With `mode=trace`: threads whose
    /// event buffers were.
    pub private_threads: Vec<ThreadId>,
    /// Threads that had some of their counters in private memory.
    pub partly_private_threads: Vec<ThreadId>,
}

impl MissingEnd {}
