//! Growth from the news of a replay.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Collected, Heap, LiveObject, Loss, Pause, Step};

use crate::growth::builder::GrowthBuilder;
use crate::growth::doubts::{GrowthDoubts, is_tenured};
use crate::growth::groups::groups;
use crate::growth::span::{windows, within};
use crate::heap_at::builder::HeapSums;
use crate::heap_samples::HeapSamples;
use crate::{Growth, GrowthBound};

/// What lived after collections, and how sure that is.
#[derive(Debug, Default)]
pub struct GrowthCourse {
    from: Option<GrowthBound>,
    until: Option<GrowthBound>,
    samples: HeapSamples,
    doubts: GrowthDoubts,
}

impl GrowthCourse {
    /// Of a part of the run, or all of it.
    pub fn new(from: Option<GrowthBound>, until: Option<GrowthBound>) -> Self {
        Self {
            from,
            until,
            ..Self::default()
        }
    }

    /// The verdicts, when the replay has ended. `count` has the marks.
    pub fn finish(mut self, heap: &Heap, count: &CountModel) -> Growth {
        self.doubts.settle(heap.objects(), &heap.spaces, None);
        let start = count.run.start_unix_millis.saturating_mul(1_000);
        let bound = |bound: &Option<GrowthBound>, else_at: u64| {
            let moment = bound.as_ref().and_then(|bound| bound.moment(start, count));
            moment.unwrap_or(else_at)
        };
        let (from, until) = (bound(&self.from, 0), bound(&self.until, u64::MAX));
        let samples = within(self.samples.finish(), from, until);
        let windows = windows(count, &samples);
        let stretches = heap.knowledge.stretches();
        let builder = GrowthBuilder {
            samples: &samples,
            types: &heap.names.types,
            site_types: heap.names.column_types(),
            stretches,
            doubts: &self.doubts,
            windows: &windows,
        };
        let rows = builder.rows(HeapSums::of(heap).callers(&heap.names));
        let (collections, known) = heap.collections_known();
        Growth {
            groups: groups(&rows),
            rows,
            last_look: self.doubts.last_look(),
            collections,
            known,
            stretches: stretches.to_vec(),
            windows,
        }
    }
}

impl Analysis for GrowthCourse {
    fn lost(&mut self, heap: &Heap, loss: Loss) {
        if loss == Loss::Collection {
            let until = Some(heap.epoch);
            self.doubts.settle(heap.objects(), &heap.spaces, until);
        }
    }

    fn kept(&mut self, object: &LiveObject, from: u64, step: &Step<'_>) {
        if step.before.kind(from).is_some_and(is_tenured) {
            self.doubts.kept(object);
        }
    }

    fn promoted(&mut self, object: &LiveObject, step: &Step<'_>) {
        self.doubts
            .promoted(step.epoch.saturating_sub(object.birth));
    }

    fn died(&mut self, object: &LiveObject, step: &Step<'_>) {
        if step.before.kind(object.address()).is_some_and(is_tenured) {
            self.doubts.died(object);
        }
    }

    fn collected(&mut self, _: &Heap, end: &Collected<'_>) {
        if end.outcome.is_some() {
            self.doubts.end_collection(end.collection);
        }
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        self.samples.take(heap, at);
    }
}
