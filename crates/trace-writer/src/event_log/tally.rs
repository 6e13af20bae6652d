//! Counting beside writing.

use ducktrack_trace_format::{Event, ThreadId};

/// Adds up events by thread and site, so that a trace answers what counting answers. Called on the pipeline's thread only, in the order of
/// each thread's events.
pub trait Tally {
    /// One event. A [`Place::Straddler`](ducktrack_trace_format::Place::Straddler) has been settled: it comes as eliminated or as a straggler.
    fn add(&mut self, thread: ThreadId, event: &Event);
}

/// Counts nothing.
impl Tally for () {
    fn add(&mut self, _thread: ThreadId, _event: &Event) {}
}
