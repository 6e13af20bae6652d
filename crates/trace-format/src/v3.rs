//! The records of format version 3.
//!
//! Changes since version 2: words of the extended operations 0x0E00 to 0x0FFF have no payload, whatever their lower bits are (version 2
//! gave these operations no meaning, and no agent wrote them). A reader of version 3 reads versions 1 and 2.

/// The number in the file header.
pub const VERSION: u16 = 3;

pub use crate::records::{
    AgentCost, AllocationKind, Application, CallSite, CallSiteId, CalledMethod, CalledSite, Cause,
    Class, ClassAddress, ClassId, Counter, CounterId, CounterRole, End, FoldedBlock, HeapClass,
    HeapClassId, HeapClassSize, HeapField, HeapLayout, HeapLimits, KeyedCount, Method, MethodId,
    ObjectLayout, Record, Refusal, Reinstrumented, Run, Site, SiteId, Snapshot, StackId,
    StackMethodId, StackTypeId, StaticField, Term, Thread, ThreadCounts, ThreadId, Unit,
};
pub use crate::stack_records::{
    SampleSums, StackDefinitions, StackMethod, StackNode, StackRow, StackSamples, StackType,
};
pub use crate::trial::{NullUse, Removal, Trial};
