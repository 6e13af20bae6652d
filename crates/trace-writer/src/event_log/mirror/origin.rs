//! The origin of an object in the mirror.

use ducktrack_trace_format::{CallSiteId, HeapClassId, SiteId, ThreadId};

/// Class of an object that no collection has shown yet and whose event stated none: that of its site.
pub const CLASS_OF_SITE: HeapClassId = HeapClassId(u32::MAX);

/// Where and when an object was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// 0 if unknown.
    pub(crate) site: SiteId,
    pub(crate) thread: ThreadId,
    /// The caller to blame; 0 if there is none or it is unknown.
    pub(crate) caller: CallSiteId,
    pub(crate) birth: u32,
}

impl Origin {
    /// The same origin without the caller.
    pub(crate) fn without_caller(self) -> Self {
        Self {
            caller: CallSiteId(0),
            ..self
        }
    }
}
