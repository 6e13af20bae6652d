//! Code on a taken edge.
//!
//! ```text
//!        ifeq trampoline            trampoline:  [copy of the frame at target]
//!        ...                                     inserted code
//! target: ...                                    goto target
//! ```
//!
//! A trampoline without inserted code is a stepping stone for a branch whose
//! two-byte offset does not reach. Trampolines stand after the last
//! instruction, or as an island in a gap that control never falls into.

use crate::unit::UnitId;

/// Index of a trampoline in the layout's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TrampolineId(pub(crate) usize);

/// Code on one taken edge.
#[derive(Debug, Clone)]
pub(crate) struct Trampoline {
    pub(crate) from: UnitId,
    pub(crate) to: UnitId,
    /// Its insertions: a range of the edge slots.
    pub(crate) slots: std::ops::Range<usize>,
    /// Bytes of its insertions.
    pub(crate) inserted: u32,
    /// The instruction before which it stands; `None` if it stands after the last one.
    pub(crate) island: Option<UnitId>,
    /// Its `goto` is a `goto_w`.
    pub(crate) wide: bool,
    /// Its new offset.
    pub(crate) at: u32,
}

impl Trampoline {
    /// New offset of its `goto`.
    pub(crate) fn goto_at(&self) -> u32 {
        self.at + self.inserted
    }

    /// Its bytes, `goto` included.
    pub(crate) fn size(&self) -> u32 {
        self.inserted + if self.wide { 5 } else { 3 }
    }
}
