//! The objects that a heap dump shows, taken when the collection before the dump has ended.

use ducktrack_heap_replay::{Analysis, Collected, Heap, Pause, Wants};
use ducktrack_trace_format::UsesHead;

use crate::LiveObjects;
use crate::live_objects::HEAP_DUMP;
use crate::staleness::clock::StalenessClock;

/// Keeps the objects of the last collection that began before the time in a dump's head, if the dump was why. (The JVM may write the dump before it says
/// that the collection has ended.)
#[derive(Debug)]
pub struct DumpedObjects {
    /// The dump's time, milliseconds since 1970.
    millis: u64,
    clock: StalenessClock,
    /// The last collection was for a dump.
    is_for_dump: bool,
    /// When it began, microseconds since 1970.
    began: u64,
    objects: Option<LiveObjects>,
}

impl DumpedObjects {
    /// Of the dump with this time in its head, milliseconds since 1970.
    pub fn new(millis: u64) -> Self {
        Self {
            millis,
            clock: StalenessClock::default(),
            is_for_dump: false,
            began: 0,
            objects: None,
        }
    }

    /// `None`: the trace has no such collection, or the heap is not known after it.
    pub fn finish(self) -> Option<LiveObjects> {
        self.objects
    }
}

impl Analysis for DumpedObjects {
    fn wants(&self) -> Wants {
        Wants {
            callers: false,
            uses: true,
        }
    }

    fn collected(&mut self, _: &Heap, end: &Collected<'_>) {
        self.clock.note(end.collection);
        self.is_for_dump = end.collection.cause == HEAP_DUMP;
        self.began = end.collection.start_unix_micros;
    }

    fn uses(&mut self, head: UsesHead) {
        self.clock.uses(head);
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        if self.began > self.millis.saturating_add(1).saturating_mul(1000) {
            return;
        }
        let is_the_dumps = self.is_for_dump && heap.is_known();
        self.objects = is_the_dumps.then(|| {
            let at = (at.collection, at.unix_micros);
            LiveObjects::new(at, heap.objects(), &self.clock, &heap.spaces, &heap.names)
        });
    }
}
