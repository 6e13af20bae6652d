//! The phases of the agent.
//!
//! ```text
//!  Loading ──VMInit or attach──> Starting ──helper works──> Counting ──VMDeath──────────────────────> Ended
//!     │                             │                            └──stop──> Stopping ──probes gone──────^
//!     └── any failure ──────────────┴───────────────────────────────────────────────────────────────────^
//! ```
//!
//! A run that has ended stays ended. The next load of the library starts another one.

use std::sync::atomic::{AtomicU8, Ordering};

/// The agent's phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// The library is loaded; the VM is not initialized yet.
    Loading,
    /// The helper class is being set up and loaded classes are rewritten.
    Starting,
    /// Counting.
    Counting,
    /// The recording has ended; the probes are being removed.
    Stopping,
    /// The last snapshot is written, or the agent has given up. The program continues.
    Ended,
}

impl Phase {
    /// The name of the phase for users.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Loading => "loaded",
            Self::Starting => "starting",
            Self::Counting => "recording",
            Self::Stopping => "stopping",
            Self::Ended => "ended",
        }
    }
}

/// The current phase. Only [`PhaseCell::advance`] changes it.
pub(crate) struct PhaseCell(AtomicU8);

impl PhaseCell {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(Phase::Loading as u8))
    }

    pub(crate) fn get(&self) -> Phase {
        match self.0.load(Ordering::Acquire) {
            0 => Phase::Loading,
            1 => Phase::Starting,
            2 => Phase::Counting,
            3 => Phase::Stopping,
            _ => Phase::Ended,
        }
    }

    /// Advances to a later phase. Returns false if that phase was already reached.
    pub(crate) fn advance(&self, to: Phase) -> bool {
        self.0.fetch_max(to as u8, Ordering::AcqRel) < to as u8
    }
}
