//! Counts events while they are written.

use ducktrack_trace_format::{CallSiteId, Event, SiteId, ThreadId};

/// What summed events have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualEvents {
    /// Allocation site of their objects.
    pub site: SiteId,
    /// The caller to blame, if one is known.
    pub caller: Option<CallSiteId>,
    /// Address of their class in the VM, if the events state it.
    pub klass: Option<u64>,
}

/// Sums over the equal events of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSum {
    /// Allocations that were executed.
    pub executed: u64,
    /// Bytes of these allocations, where they are known.
    pub executed_bytes: u64,
    /// How many of them reached the heap.
    pub on_heap: u64,
    /// Bytes of those that reached the heap.
    pub on_heap_bytes: u64,
}

/// Sums events by thread and site, so that a trace answers what counting answers. Called on the pipeline's thread only. Each event comes
/// once, either alone or in a sum.
pub trait Tally {
    /// Adds one event. A [`Place::Straddler`](ducktrack_trace_format::Place::Straddler) comes as eliminated or as a straggler, never as a
    /// straddler.
    fn add(&mut self, thread: ThreadId, event: &Event);

    /// Adds equal allocations.
    fn add_sum(&mut self, thread: ThreadId, common: &EqualEvents, sum: &EventSum);
}

/// Counts nothing.
impl Tally for () {
    fn add(&mut self, _thread: ThreadId, _event: &Event) {}

    fn add_sum(&mut self, _thread: ThreadId, _common: &EqualEvents, _sum: &EventSum) {}
}
