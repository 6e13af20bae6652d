//! An object in the mirror: 28 bytes, with its origin.

use ducktrack_live_heap::{AddressMap, HasAddress};
use ducktrack_trace_format::{CallSiteId, HeapClassId, SiteId, ThreadId};

/// Class of an object that no collection has shown yet and whose event stated none: that of its site.
pub const CLASS_OF_SITE: HeapClassId = HeapClassId(u32::MAX);

/// Where and when an object was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// 0 if unknown.
    pub site: SiteId,
    /// The thread that allocated it.
    pub thread: ThreadId,
    /// The caller to blame; 0 if there is none or it is unknown.
    pub caller: CallSiteId,
    /// Number of collections before its allocation.
    pub birth: u32,
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

/// A live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveObject {
    /// The low bits of its address.
    low: u32,
    pub(crate) units: u32,
    pub(crate) class: HeapClassId,
    pub(crate) origin: Origin,
}

/// All live objects, in chunks of 1 MB of heap.
pub(crate) type LiveObjects = AddressMap<LiveObject, 20>;

impl LiveObject {
    pub(crate) fn new(address: u64, units: u32, class: HeapClassId, origin: Origin) -> Self {
        Self {
            low: address as u32,
            units,
            class,
            origin,
        }
    }
}

impl HasAddress for LiveObject {
    #[inline]
    fn low(&self) -> u32 {
        self.low
    }

    #[inline]
    fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }
}
