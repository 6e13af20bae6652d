//! What each byte of a trace means.
#![forbid(unsafe_code)]

mod damage;
mod records;

pub use damage::Damage;
pub use records::{
    AgentCost, AllocationKind, CallSite, CallSiteId, Class, ClassId, Counter, CounterId,
    CounterRole, End, KeyedCount, Method, MethodId, ObjectLayout, Record, Refusal, Reinstrumented,
    Run, Site, SiteId, Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};
