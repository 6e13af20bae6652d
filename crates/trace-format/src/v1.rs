//! The records of format version 1.

/// The number in the file header.
pub const VERSION: u16 = 1;

pub use crate::records::{
    AgentCost, AllocationKind, CallSite, CallSiteId, CalledSite, Class, ClassId, Counter,
    CounterId, CounterRole, End, HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout,
    KeyedCount, Method, MethodId, ObjectLayout, Record, Refusal, Reinstrumented, Run, Site, SiteId,
    Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};
