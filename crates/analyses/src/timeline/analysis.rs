//! The timeline from the news of a replay.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Collected, Heap, Pause, Rest};
use ducktrack_live_heap::Amount;

use crate::timeline::builder::compose;
use crate::timeline::heap_samples::HeapSamples;
use crate::timeline::points::timeline_point;
use crate::{Question, Timeline, TimelinePoint};

/// Collections so far, and what lived after them.
#[derive(Debug, Default)]
pub struct TimelineCourse {
    points: Vec<TimelinePoint>,
    samples: HeapSamples,
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
        let mut timeline = Timeline {
            points: self.points,
            allocated_after: self.allocated_after,
            start_micros: heap.info.start_micros,
            end_micros: heap.info.end_micros,
            ..Timeline::default()
        };
        compose(&mut timeline, &self.samples.finish(), &heap.names.types);
        timeline
    }
}

impl TimelineCourse {
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
    fn collected(&mut self, heap: &Heap, end: &Collected<'_>) {
        let last = self.points.last().map(|point| point.end_micros);
        let before = last.unwrap_or(heap.info.start_micros);
        let live = end.outcome.map(|_| heap.counts.total);
        let mut point = timeline_point(end.collection, before, end.sums, end.outcome, live);
        self.join_deferred(&mut point, end.defers);
        self.points.push(point);
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        self.samples.take(heap, at);
    }

    fn ended(&mut self, _: &Heap, rest: &Rest) {
        self.allocated_after = rest.allocated;
    }
}
