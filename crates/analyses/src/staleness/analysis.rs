//! Staleness from the news of a replay.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{
    Analysis, Collected, CollectionNumber, Gain, Heap, LiveObject, Loss, Moment, Pause, Rest, Step,
    Wants,
};
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{Collection, CollectionKind, UsesHead};
use rustc_hash::FxHashMap;

use crate::heap_at::live_rows::Part;
use crate::staleness::clock::StalenessClock;
use crate::staleness::last_uses::LastUses;
use crate::staleness::tables::{sites, types};
use crate::{Levels, Question, StalePoint, Staleness};

/// The staleness of live objects at one moment, and its course until then.
#[derive(Debug)]
pub struct StalenessAt {
    moment: Moment,
    clock: StalenessClock,
    uses: LastUses,
    points: Vec<StalePoint>,
    /// Every this many points one is kept.
    stride: usize,
    passed: usize,
    answer: Option<Staleness>,
}

impl StalenessAt {
    /// After a collection, or at the end.
    pub fn new(moment: Moment) -> Self {
        Self {
            moment,
            clock: StalenessClock::default(),
            uses: LastUses::default(),
            points: Vec::new(),
            stride: 1,
            passed: 0,
            answer: None,
        }
    }

    fn add_point(&mut self, collection: &Collection) {
        self.passed += 1;
        if !self.passed.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(StalePoint {
            collection: CollectionNumber(collection.number),
            unix_micros: collection.end_unix_micros,
            levels: self.levels(collection.number),
        });
        if self.points.len() >= Staleness::MOST_POINTS {
            let mut is_odd = false;
            self.points.retain(|_| {
                is_odd = !is_odd;
                !is_odd
            });
            self.stride *= 2;
            self.passed = 0;
        }
    }

    fn levels(&self, collection: u32) -> Levels {
        let mut levels = Levels::default();
        for (used, amount) in (0..).zip(self.uses.by_epoch()) {
            levels.add(self.clock.staleness(used, collection), *amount);
        }
        levels
    }

    /// The tables after a collection.
    fn tables(&self, heap: &Heap, (collection, unix_micros): (u32, u64)) -> Option<Staleness> {
        let since = self.clock.since.filter(|_| heap.is_known())?;
        let mut parts: FxHashMap<Part, Levels> = FxHashMap::default();
        for object in heap.objects() {
            let part = (object.site, object.caller, object.ty);
            let levels = parts.entry(part).or_default();
            let staleness = self.clock.of(object, collection);
            levels.add(staleness, Amount::one(object.bytes()));
        }
        let mut levels = Levels::default();
        parts.values().for_each(|part| levels.join(part));
        let mut points: Vec<StalePoint> = self.points.clone();
        points.retain(|point| point.collection.0 < collection);
        points.push(StalePoint {
            collection: CollectionNumber(collection),
            unix_micros,
            levels: levels.clone(),
        });
        let by_type = parts.iter().map(|((_, _, ty), levels)| (*ty, levels));
        Some(Staleness {
            collection: CollectionNumber(collection),
            unix_micros,
            all_until: CollectionNumber(self.clock.all_until.min(collection)),
            since: CollectionNumber(since),
            levels,
            types: types(by_type, &heap.names),
            sites: sites(&parts, &heap.names),
            points,
        })
    }
}

impl Question for StalenessAt {
    /// `None`: the heap is not known at that moment, or no uses were recorded.
    type Answer = Option<Staleness>;

    fn analyses(&mut self, _: &CountModel) -> Vec<&mut dyn Analysis> {
        vec![self]
    }

    fn finish(self, _: &Heap, _: &CountModel) -> Self::Answer {
        self.answer
    }
}

impl Analysis for StalenessAt {
    fn wants(&self) -> Wants {
        Wants {
            callers: false,
            uses: true,
            slices: false,
        }
    }

    fn gained(&mut self, heap: &Heap, _: Gain) {
        self.uses.restart(heap.objects());
    }

    fn lost(&mut self, _: &Heap, loss: Loss) {
        if loss == Loss::Collection {
            self.uses.restart([]);
        }
    }

    fn born(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.uses.added(object);
    }

    fn died(&mut self, object: &LiveObject, _: &Step<'_>) {
        self.uses.died(object);
    }

    fn overlaid(&mut self, object: &LiveObject) {
        self.uses.died(object);
    }

    fn collected(&mut self, _: &Heap, end: &Collected<'_>) {
        let collection = end.collection;
        if self.clock.note(collection) {
            self.points
                .pop_if(|last| last.collection.0 + 1 == collection.number);
        }
        let knows_all = self.clock.all_until == collection.number;
        if end.collection.kind != CollectionKind::Cleanup && self.clock.since.is_some() && knows_all
        {
            self.add_point(collection);
        }
    }

    fn uses(&mut self, head: UsesHead) {
        self.clock.uses(head);
    }

    fn used(&mut self, object: &LiveObject, before: u32) {
        self.uses.used(object, before);
    }

    fn settled(&mut self, heap: &Heap, at: Pause) {
        if self.moment == Moment::After(CollectionNumber(at.collection)) {
            self.answer = self.tables(heap, (at.collection, at.unix_micros));
        }
    }

    fn ended(&mut self, heap: &Heap, rest: &Rest) {
        if self.moment == Moment::End {
            self.answer = self.tables(heap, (heap.epoch, rest.last_pause));
        }
    }
}
