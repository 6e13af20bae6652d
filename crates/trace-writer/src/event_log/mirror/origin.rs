//! Where an object of the mirror comes from.

use ducktrack_trace_format::{CallSiteId, HeapClassId, SiteId, ThreadId};

/// The class of an object that no collection has shown yet, and whose event did not state it: that of its site.
pub const CLASS_OF_SITE: HeapClassId = HeapClassId(u32::MAX);

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// 0: not known.
    pub(crate) site: SiteId,
    pub(crate) thread: ThreadId,
    /// The caller to blame; 0: none, or not known.
    pub(crate) caller: CallSiteId,
    pub(crate) birth: u32,
}

impl Origin {
    /// The same place and time.
    pub(crate) fn without_caller(self) -> Self {
        Self {
            caller: CallSiteId(0),
            ..self
        }
    }
}
