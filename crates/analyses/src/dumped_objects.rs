//! The objects that a heap dump shows, taken when the collection before the dump has ended.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Collected, Heap, Loss, Pause, Wants};
use ducktrack_trace_format::{Collection, UsesHead};

use crate::live_objects::HEAP_DUMP;
use crate::program_addresses::by_program_address;
use crate::staleness::clock::StalenessClock;
use crate::{LiveObjects, Question};

/// Keeps the objects of the last collection that began before the time in a dump's head. Where the dump was why, these are the dump's objects. (The JVM may write
/// the dump before it says that the collection has ended.) Else they are those of its objects that were there at that collection: what the JVM writes at an
/// `OutOfMemoryError` or for other tools shows in addition what was allocated since.
#[derive(Debug)]
pub struct DumpedObjects {
    /// The dump's time, milliseconds since 1970.
    millis: u64,
    clock: StalenessClock,
    /// The last collection was for a dump.
    is_for_dump: bool,
    /// The last collection whose heap is settled.
    last: Pause,
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
            last: Pause::default(),
            began: 0,
            objects: None,
        }
    }

    /// The dump's time, rounded up to microseconds.
    fn until(&self) -> u64 {
        self.millis.saturating_add(1).saturating_mul(1000)
    }

    fn keep(&mut self, heap: &Heap, is_for_dump: bool) {
        let is_its = is_for_dump || self.last.collection == heap.epoch;
        let is_known = heap.is_known() && is_its;
        self.objects = is_known.then(|| {
            let at = (self.last.collection, self.last.unix_micros);
            let objects = by_program_address(heap);
            let mut objects = LiveObjects::new(at, objects, &self.clock, &heap.spaces, &heap.names);
            objects.is_before_dump = !is_for_dump;
            objects
        });
    }

    /// No later collection began before the dump.
    fn keep_last(&mut self, heap: &Heap) {
        if self.began <= self.until() && !self.is_for_dump {
            self.keep(heap, false);
        }
    }
}

impl Question for DumpedObjects {
    /// `None`: the trace has no such collection, or the heap is not known after it.
    type Answer = Option<LiveObjects>;

    fn analyses(&mut self, _: &CountModel) -> Vec<&mut dyn Analysis> {
        vec![self]
    }

    fn finish(self, _: &Heap, _: &CountModel) -> Self::Answer {
        self.objects
    }
}

impl Analysis for DumpedObjects {
    fn wants(&self) -> Wants {
        Wants {
            callers: false,
            uses: true,
            slices: false,
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
        self.last = at;
        if self.began <= self.until() && self.is_for_dump {
            self.keep(heap, true);
        }
    }

    fn begin(&mut self, heap: &Heap, next: &Collection) {
        if next.start_unix_micros > self.until() {
            self.keep_last(heap);
        }
    }

    fn lost(&mut self, heap: &Heap, loss: Loss) {
        if loss == Loss::Collection {
            self.keep_last(heap);
        }
    }

    fn ending(&mut self, heap: &Heap) {
        self.keep_last(heap);
    }
}
