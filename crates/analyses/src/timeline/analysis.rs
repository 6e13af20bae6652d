//! The timeline from the news of a replay.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Collected, Gain, Heap, LiveObject, Loss, Pause, Rest, Step};
use ducktrack_live_heap::Amount;

use crate::timeline::heap_samples::HeapSamples;
use crate::timeline::live_parts::LiveParts;
use crate::timeline::points::timeline_point;
use crate::{Question, Timeline, TimelinePoint};

/// Collections so far, and what lived after them.
#[derive(Debug, Default)]
pub struct TimelineCourse {
    points: Vec<TimelinePoint>,
    samples: HeapSamples,
    /// If asked for.
    parts: Option<LiveParts>,
    /// Time before collections that did not look at new objects, since the last one that did.
    deferred_micros: u64,
    allocated_after: Amount,
}

impl Question for TimelineCourse {
    type Answer = Timeline;

    fn analyses(&mut self, _: &CountModel) -> Vec<&mut dyn Analysis> {
        vec![self]
    }

    fn finish(self, heap: &Heap, _: &CountModel) -> Timeline {
        Timeline {
            points: self.points,
            allocated_after: self.allocated_after,
            start_micros: heap.info.start_micros,
            end_micros: heap.info.end_micros,
            type_names: heap.names.types.clone(),
            composition: self.samples.finish(),
        }
    }
}

impl TimelineCourse {
    /// Its composition also has the parts of sites and types, which a filter needs.
    #[must_use]
    pub fn with_parts() -> Self {
        Self {
            parts: Some(LiveParts::default()),
            ..Self::default()
        }
    }

    fn added(&mut self, object: &LiveObject) {
        if let Some(parts) = &mut self.parts {
            parts.add(object);
        }
    }

    fn removed(&mut self, object: &LiveObject) {
        if let Some(parts) = &mut self.parts {
            parts.remove(object);
        }
    }

    /// A collection that does not look at new objects knows nothing of what was allocated before it: the time goes to the next that does.
    fn join_deferred(&mut self, point: &mut TimelinePoint, defers: bool) {
        if defers {
            self.deferred_micros += core::mem::take(&mut point.mutator_micros);
        } else if point.mutator_micros > 0 {
            point.mutator_micros += core::mem::take(&mut self.deferred_micros);
        }
    }
}

impl Analysis for TimelineCourse {
    fn gained(&mut self, heap: &Heap, _: Gain) {
        if let Some(parts) = &mut self.parts {
            parts.recount(heap);
        }
    }

    fn lost(&mut self, _: &Heap, _: Loss) {
        if let Some(parts) = &mut self.parts {
            *parts = LiveParts::default();
        }
    }

    fn born(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.added(object);
    }

    fn died(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.removed(object);
    }

    fn overlaid(&mut self, object: &LiveObject) {
        self.removed(object);
    }

    fn explained(&mut self, before: &LiveObject, object: &LiveObject) {
        self.removed(before);
        self.added(object);
    }

    fn collected(&mut self, heap: &Heap, end: &Collected<'_>) {
        let last = self.points.last().map(|point| point.end_micros);
        let before = last.unwrap_or(heap.info.start_micros);
        let live = end.outcome.map(|_| heap.counts.total);
        let mut point = timeline_point(end.collection, before, end.sums, end.outcome, live);
        self.join_deferred(&mut point, end.defers);
        self.points.push(point);
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        self.samples.take(heap, self.parts.as_ref(), at);
    }

    fn ended(&mut self, _: &Heap, rest: &Rest) {
        self.allocated_after = rest.allocated;
    }
}
