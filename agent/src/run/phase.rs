//! The phases of the agent.
//!
//! ```text
//!  Loading ──VMInit or attach──> Starting ──helper works──> Counting ──VMDeath──────────────────────> Ended
//!     │                             │                            └──stop──> Stopping ──probes gone──────^
//!     └── anything that must not ───┴──── hurt the host ────────────────────────────────────────────────^
//! ```
//!
//! A run that has ended stays so. The next load of the library begins another one.

use std::sync::atomic::{AtomicU8, Ordering};

/// Where the agent is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Loaded; the VM is not up yet.
    Loading,
    /// The helper class is being set up and loaded classes are rewritten.
    Starting,
    /// Counting.
    Counting,
    /// The recording has ended, the probes go.
    Stopping,
    /// The last snapshot is written, or the agent has given up; the program runs on.
    Ended,
}

impl Phase {
    /// For people.
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

/// The current phase; changed by [`PhaseCell::advance`] only.
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

    /// Goes on to a later phase; false if that phase was already reached.
    pub(crate) fn advance(&self, to: Phase) -> bool {
        self.0.fetch_max(to as u8, Ordering::AcqRel) < to as u8
    }
}
