//! Code on a taken edge.
//!
//! ```text
//!        ifeq trampoline            trampoline:  [copy of the frame at target]
//!        ...                                     inserted code
//! target: ...                                    goto target
//! ```
//!
//! A trampoline without inserted code is a stepping stone for a branch whose
//! two-byte offset does not reach. Trampolines stand behind the last
//! instruction, or as an island in a gap that control never falls into.

use super::unit::UnitId;

/// Position of a trampoline in the layout's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrampolineId(pub(super) usize);

/// Code on one taken edge.
#[derive(Debug, Clone)]
pub(super) struct Trampoline {
    pub(super) from: UnitId,
    pub(super) to: UnitId,
    /// Its insertions: a range of the edge slots.
    pub(super) slots: std::ops::Range<usize>,
    /// Bytes of its insertions.
    pub(super) inserted: u32,
    /// The instruction ahead of which it stands; `None` behind the last one.
    pub(super) island: Option<UnitId>,
    /// Its `goto` is a `goto_w`.
    pub(super) wide: bool,
    /// Its new offset.
    pub(super) at: u32,
}

impl Trampoline {
    /// New offset of its `goto`.
    pub(super) fn goto_at(&self) -> u32 {
        self.at + self.inserted
    }

    /// Its bytes, `goto` included.
    pub(super) fn size(&self) -> u32 {
        self.inserted + if self.wide { 5 } else { 3 }
    }
}
