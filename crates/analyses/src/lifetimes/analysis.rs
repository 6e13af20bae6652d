//! Lifetimes from the news of a replay.

use ducktrack_count_model::{CountModel, Origin};
use ducktrack_heap_replay::{
    Analysis, Collected, Epoch, Gain, Heap, LiveObject, Loss, Rest, SiteTally, Step, Wants,
};

use crate::lifetimes::tallies::LifetimeTallies;
use crate::{Lifetimes, Question};

impl Question for LifetimeTallies {
    type Answer = Lifetimes;

    fn analyses(&mut self, _: &CountModel) -> Vec<&mut dyn Analysis> {
        vec![self]
    }

    fn finish(mut self, heap: &Heap, _: &CountModel) -> Lifetimes {
        heap.objects().for_each(|object| self.alive(object));
        let (collections, known) = heap.collections_known();
        self.table(collections, known)
    }
}

impl Analysis for LifetimeTallies {
    fn wants(&self) -> Wants {
        Wants {
            callers: true,
            uses: false,
            slices: false,
        }
    }

    fn gained(&mut self, heap: &Heap, gain: Gain) {
        match gain.since {
            Some(epoch) => self.begin(epoch),
            None => heap.objects().for_each(|object| self.keep(object)),
        }
        if gain.is_first {
            heap.objects().for_each(|object| self.count_birth(object));
        }
    }

    fn lost(&mut self, heap: &Heap, _: Loss) {
        self.lose(heap.objects());
    }

    fn died_young(&mut self, origin: Origin, tally: &SiteTally, _: &Heap, epoch: Epoch) {
        self.count_young(origin, tally, epoch);
    }

    fn born(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.count_birth(object);
    }

    fn promoted(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.count_promotion(object);
    }

    fn died(&mut self, object: &LiveObject, step: &Step<'_>) {
        self.count_death(object, step.epoch, step.clock);
    }

    fn collected(&mut self, _: &Heap, end: &Collected<'_>) {
        if end.outcome.is_none() {
            self.settle();
        }
    }

    fn explained(&mut self, before: &LiveObject, object: &LiveObject) {
        if self.counts(before) {
            self.located(object);
        }
    }

    fn ended(&mut self, heap: &Heap, _: &Rest) {
        if !heap.is_known() {
            self.settle();
        }
    }
}
