//! One object of the live heap, in 32 bytes.

use ducktrack_trace_format::ThreadId;

use crate::heap::column::{SiteColumn, TypeColumn};

/// No thread.
const NO_THREAD: u32 = u32::MAX;

/// An object that lives, as far as collections know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveObject {
    /// The first address behind it.
    pub(crate) end: u64,
    /// Its length in units of 8 bytes.
    units: u32,
    pub(crate) site: SiteColumn,
    pub(crate) ty: TypeColumn,
    thread: u32,
    /// The epoch in which it was allocated.
    pub(crate) birth: u32,
    /// A collection moved it from a young to an old space.
    pub(crate) promoted: bool,
}

impl LiveObject {
    pub(crate) fn new(end: u64, bytes: u64, site: SiteColumn, ty: TypeColumn, birth: u32) -> Self {
        Self {
            end,
            units: u32::try_from(bytes / 8).unwrap_or(u32::MAX),
            site,
            ty,
            thread: NO_THREAD,
            birth,
            promoted: false,
        }
    }

    pub(crate) fn by(mut self, thread: ThreadId) -> Self {
        self.thread = thread.0;
        self
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }

    pub(crate) fn thread(&self) -> Option<ThreadId> {
        (self.thread != NO_THREAD).then_some(ThreadId(self.thread))
    }

    /// Where it starts.
    pub(crate) fn address(&self) -> u64 {
        self.end.saturating_sub(self.bytes())
    }

    /// The same object with the same origin; its type may be known better in one of them.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        (self.end, self.units, self.site, self.birth)
            == (other.end, other.units, other.site, other.birth)
            && (self.site == SiteColumn::NONE || self.thread == other.thread)
    }
}
