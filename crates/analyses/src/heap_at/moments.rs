//! The heap at the moments that are asked for.

use ducktrack_count_model::{CountModel, Origin, SiteColumn, TypeColumn};
use ducktrack_heap_replay::{
    Analysis, CollectionNumber, Epoch, EpochEnd, Heap, Loss, Moment, Pause, Rest, SiteTally,
};
use ducktrack_live_heap::Amount;

use crate::heap_at::builder::HeapSums;
use crate::{HeapAt, Question};

/// Sums the heap up at some moments.
#[derive(Debug, Default)]
pub struct HeapMoments {
    asked: Vec<Moment>,
    answers: Vec<Option<HeapAt>>,
    /// The last collection whose heap had no more news.
    settled: Option<Pause>,
    /// Allocated after the last collection.
    new: Vec<(SiteColumn, TypeColumn, Amount)>,
}

impl HeapMoments {
    /// The heap at each of these moments.
    pub fn new(asked: Vec<Moment>) -> Self {
        Self {
            answers: asked.iter().map(|_| None).collect(),
            asked,
            ..Self::default()
        }
    }

    /// After the last collection after which the heap is known so far.
    fn answer_last(&mut self, heap: &Heap) {
        let pause = self.settled.filter(|at| at.collection == heap.epoch);
        let is_asked = self.asked.contains(&Moment::Last);
        let Some(pause) = pause.filter(|_| is_asked && heap.is_known()) else {
            return;
        };
        let after = Moment::After(CollectionNumber(pause.collection));
        let answer = after_collection(heap, after, pause);
        self.answer(Moment::Last, &answer);
    }

    fn answer(&mut self, asked: Moment, heap: &HeapAt) {
        let answers = self.asked.iter().zip(&mut self.answers);
        for (_, answer) in answers.filter(|(moment, _)| **moment == asked) {
            *answer = Some(heap.clone());
        }
    }
}

impl Question for HeapMoments {
    /// In the order of the moments; a collection that the trace does not have, or after which the heap is not known, gives `None`.
    type Answer = Vec<Option<HeapAt>>;

    fn analyses(&mut self, _: &CountModel) -> Vec<&mut dyn Analysis> {
        vec![self]
    }

    fn finish(self, _: &Heap, _: &CountModel) -> Self::Answer {
        self.answers
    }
}

impl Analysis for HeapMoments {
    fn lost(&mut self, heap: &Heap, loss: Loss) {
        if loss == Loss::Collection {
            self.answer_last(heap);
        }
    }

    fn died_young(&mut self, origin: Origin, tally: &SiteTally, heap: &Heap, epoch: Epoch) {
        if epoch.end == EpochEnd::Trace {
            let (site, ty) = (origin.site, heap.site_type(origin.site));
            for amount in [tally.gone, tally.unplaced] {
                self.new.push((site, ty, amount));
            }
        }
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        self.settled = Some(at);
        let moment = Moment::After(CollectionNumber(at.collection));
        if self.asked.contains(&moment) {
            let answer = after_collection(heap, moment, at);
            self.answer(moment, &answer);
        }
    }

    fn ending(&mut self, heap: &Heap) {
        self.answer_last(heap);
    }

    fn ended(&mut self, heap: &Heap, rest: &Rest) {
        if !heap.is_known() || !self.asked.contains(&Moment::End) {
            return;
        }
        let mut sums = HeapSums::of(heap);
        for ((site, caller, ty), amount) in &rest.apart {
            sums.set_apart(*site, heap.site_type(*site), (*caller, *ty), *amount);
        }
        for (thread, amount) in &rest.threads {
            sums.add_thread(*thread, *amount);
        }
        for (site, ty, amount) in core::mem::take(&mut self.new) {
            sums.add_new(site, ty, amount);
        }
        let collection = (heap.epoch > 0).then_some(CollectionNumber(heap.epoch));
        let at = (collection, heap.info.end_micros);
        let answer = sums.finish(Moment::End, at, &heap.spaces, &heap.names);
        self.answer(Moment::End, &answer);
    }
}

fn after_collection(heap: &Heap, moment: Moment, at: Pause) -> HeapAt {
    let at = (Some(CollectionNumber(at.collection)), at.unix_micros);
    HeapSums::of(heap).finish(moment, at, &heap.spaces, &heap.names)
}
