//! Counting beside writing.

use ducktrack_trace_format::{CallSiteId, Event, SiteId, ThreadId};

/// What events have in common that are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualEvents {
    /// Where their objects were allocated.
    pub site: SiteId,
    /// The caller to blame, if one is known.
    pub caller: Option<CallSiteId>,
    /// Where the VM has their class, if the events say it.
    pub klass: Option<u64>,
}

/// Events of a piece that are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSum {
    /// Allocations that were executed.
    pub executed: u64,
    /// Their bytes, as far as they are known.
    pub executed_bytes: u64,
    /// Those of them that reached the heap.
    pub on_heap: u64,
    /// Their bytes.
    pub on_heap_bytes: u64,
}

/// Adds up events by thread and site, so that a trace answers what counting answers. Called on the pipeline's thread only. Every event comes once, either
/// by itself or in a sum.
pub trait Tally {
    /// One event. A [`Place::Straddler`](ducktrack_trace_format::Place::Straddler) has been settled: it comes as eliminated or as a straggler.
    fn add(&mut self, thread: ThreadId, event: &Event);

    /// Allocations that are alike.
    fn add_sum(&mut self, thread: ThreadId, alike: &EqualEvents, sum: &EventSum);
}

/// Counts nothing.
impl Tally for () {
    fn add(&mut self, _thread: ThreadId, _event: &Event) {}

    fn add_sum(&mut self, _thread: ThreadId, _alike: &EqualEvents, _sum: &EventSum) {}
}
