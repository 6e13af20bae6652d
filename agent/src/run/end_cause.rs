//! Why a recording ends.

use crate::core::phase::Phase;

/// Why a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndCause {
    /// The VM ends.
    Exit,
    /// The command `stop`: the program goes on.
    Stop,
}

impl EndCause {
    /// The word in the trace.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Stop => "stop",
        }
    }

    /// The agent's phase after the end.
    pub(crate) fn next_phase(self) -> Phase {
        match self {
            Self::Exit => Phase::Ended,
            Self::Stop => Phase::Stopping,
        }
    }
}
