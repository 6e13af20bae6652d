//! Costs from the news of a replay.

use ducktrack_count_model::{CountModel, Origin};
use ducktrack_heap_replay::{
    Analysis, Collected, Epoch, EpochEnd, Heap, LiveObject, SiteTally, Step, Wants,
};
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::Collection;

use crate::Question;
use crate::cost::{CostBuilder, GcCost};

/// The collector whose cycles are known by the CPU time of its workers.
const CONCURRENT: &str = "ZGC";

impl Question for CostBuilder {
    type Answer = GcCost;

    fn analyses(&mut self, count: &CountModel) -> Vec<&mut dyn Analysis> {
        self.is_concurrent = count.run.collector == CONCURRENT;
        vec![self]
    }

    fn finish(self, heap: &Heap, _: &CountModel) -> GcCost {
        self.table(&heap.names.types)
    }
}

impl Analysis for CostBuilder {
    fn wants(&self) -> Wants {
        Wants {
            callers: true,
            uses: true,
            slices: false,
        }
    }

    fn died_young(&mut self, origin: Origin, tally: &SiteTally, heap: &Heap, epoch: Epoch) {
        if epoch.end == EpochEnd::Collection {
            let ty = heap.site_type(origin.site);
            for amount in [tally.gone, tally.unplaced, tally.stragglers] {
                self.allocated(origin, ty, amount);
            }
        }
    }

    fn begin(&mut self, _: &Heap, collection: &Collection) {
        self.begin_collection(collection);
    }

    fn born(&mut self, object: &LiveObject, _: &Step<'_>) {
        let one = Amount::one(object.bytes());
        self.allocated(object.origin(), object.ty, one);
    }

    fn kept(&mut self, object: &LiveObject, from: u64, step: &Step<'_>) {
        self.count_kept(object, object.address() != from, step.epoch);
    }

    fn promoted(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.count_promotion(object);
    }

    fn died(&mut self, object: &LiveObject, step: &Step<'_>) {
        self.count_death(object, step.epoch);
    }

    fn collected(&mut self, heap: &Heap, end: &Collected<'_>) {
        let collection = end.collection;
        if end.outcome.is_none() {
            return self.lost_collection(collection);
        }
        let sums = end.sums;
        let bytes = sums.allocated.bytes.saturating_add(sums.gap_bytes);
        self.end_collection(collection, end.epoch, bytes, end.defers);
        if self.begins_cycle_end(collection) {
            heap.objects().for_each(|object| self.marked(object));
        }
    }
}
