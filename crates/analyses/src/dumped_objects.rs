//! The objects that a heap dump shows, taken when the collection before the dump has ended.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Collected, Heap, LiveObject, Loss, Pause, Step, Wants};
use ducktrack_trace_format::{Collection, UsesHead};

use crate::live_objects::HEAP_DUMP;
use crate::program_addresses::by_program_address;
use crate::staleness::clock::StalenessClock;
use crate::{LiveObjects, Question};

/// Keeps the objects of the last collection that began before the time in a dump's head. Where the dump was why, these are the dump's
/// objects. (The JVM may write the dump before it says that the collection has ended.) Else they are those of its objects that were
/// there at that collection: what the JVM writes at an `OutOfMemoryError` or for other tools shows in addition what was allocated since.
#[derive(Debug)]
pub struct DumpedObjects {
    /// The dump's time, milliseconds since 1970.
    millis: u64,
    clock: StalenessClock,
    /// The last collection was for a dump.
    is_for_dump: bool,
    /// It went on while the program ran.
    went_on_beside: bool,
    /// The last collection whose heap is settled.
    last: Pause,
    /// When it began, microseconds since 1970.
    began: u64,
    objects: Option<LiveObjects>,
    /// The collection that is applied is the first after the dump, and the program ran beside the one before.
    is_next: bool,
    /// Objects made before it, where they were made.
    made_since: Vec<LiveObject>,
}

impl DumpedObjects {
    /// Of the dump with this time in its head, milliseconds since 1970.
    pub fn new(millis: u64) -> Self {
        Self {
            millis,
            clock: StalenessClock::default(),
            is_for_dump: false,
            went_on_beside: false,
            last: Pause::default(),
            began: 0,
            objects: None,
            is_next: false,
            made_since: Vec::new(),
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
            objects.went_on_beside = self.went_on_beside;
            objects
        });
    }

    /// Once: the heap of the dump is not looked for any more.
    fn keep_made_since(&mut self, heap: &Heap) {
        if !core::mem::take(&mut self.is_next) {
            return;
        }
        let mut made = core::mem::take(&mut self.made_since);
        made.sort_unstable_by_key(LiveObject::address);
        let at = (self.last.collection, self.last.unix_micros);
        let made = LiveObjects::new(at, made.iter(), &self.clock, &heap.spaces, &heap.names);
        if let Some(objects) = &mut self.objects {
            objects.made_since = Some(Box::new(made));
        }
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

    fn kept(&mut self, object: &LiveObject, from: u64, step: &Step<'_>) {
        if self.is_next && object.birth == step.epoch {
            let mut made = *object;
            made.end = from.saturating_add(object.bytes());
            self.made_since.push(made);
        }
    }

    fn collected(&mut self, heap: &Heap, end: &Collected<'_>) {
        self.keep_made_since(heap);
        self.clock.note(end.collection);
        self.is_for_dump = end.collection.cause == HEAP_DUMP;
        // A pause that only cuts buffers is one of a cycle, too.
        self.went_on_beside |= end.collection.went_on_beside();
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
            self.is_next =
                self.began <= self.until() && self.went_on_beside && self.objects.is_some();
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
