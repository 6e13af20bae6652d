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

/// How a recorded run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// The recording has ended.
    Ended,
    /// The process that writes it is running.
    Running,
    /// The process is gone without an end.
    Killed,
    /// Not known: see [`ProcessState::Unknown`].
    #[default]
    Unknown,
}

impl RunState {
    const ALL: [Self; 4] = [Self::Ended, Self::Running, Self::Killed, Self::Unknown];

    /// The word in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Running => ProcessState::Running.name(),
            Self::Killed => ProcessState::Gone.name(),
            Self::Unknown => ProcessState::Unknown.name(),
        }
    }

    /// The state of this word; one that is not known is [`RunState::Unknown`].
    #[must_use]
    pub fn named(word: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|state| state.name() == word).unwrap_or_default()
    }

    /// Whether no more will come.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Killed)
    }
}

impl From<ProcessState> for RunState {
    fn from(process: ProcessState) -> Self {
        match process {
            ProcessState::Running => Self::Running,
            ProcessState::Gone => Self::Killed,
            ProcessState::Unknown => Self::Unknown,
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
