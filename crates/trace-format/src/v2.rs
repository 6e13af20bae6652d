//! The records of format version 2.
//!
//! Changes since version 1: words from 0xE0000000 on are clock words and operations with a length (in version 1 such a word would have been
//! a site's, but no agent used such high numbers); the header of an event block, a record, and blocks of kinds 32 to 63 may grow. A reader
//! of version 2 reads version 1.

/// The number in the file header.
pub const VERSION: u16 = 2;

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
