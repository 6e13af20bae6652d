//! One collection, applied to the live heap.

use ducktrack_trace_format::{Collection, MoveRun};

use crate::cost::CostBuilder;
use crate::growth::doubts::{GrowthDoubts, is_tenured};
use crate::lifetimes::tallies::LifetimeTallies;
use crate::staleness::last_uses::LastUses;
use ducktrack_count_model::{SiteColumn, TraceNames};
use ducktrack_heap_replay::{
    AllocationClock, LiveCounts, LiveHeap, LiveObject, Outcome, SpaceMap, Survivor, is_old,
    is_young,
};
use ducktrack_live_heap::{Amount, Fate, FateMap, merged};

/// The parts of a replay that a collection changes.
pub(crate) struct CollectionStep<'a> {
    pub(crate) heap: &'a mut LiveHeap,
    pub(crate) counts: &'a mut LiveCounts,
    pub(crate) lifetimes: &'a mut LifetimeTallies,
    /// Where they are asked for.
    pub(crate) uses: Option<&'a mut LastUses>,
    /// Where they are asked for.
    costs: Option<&'a mut CostBuilder>,
    /// Where they are asked for.
    doubts: Option<&'a mut GrowthDoubts>,
    pub(crate) clock: &'a AllocationClock,
    pub(crate) names: &'a TraceNames,
    /// The epoch that the collection ends.
    pub(crate) epoch: u32,
    /// The number of the collection.
    number: u32,
    before: SpaceMap,
    after: SpaceMap,
    pub(crate) outcome: Outcome,
}

impl<'a> CollectionStep<'a> {
    pub(crate) fn new(
        heap: &'a mut LiveHeap,
        counts: &'a mut LiveCounts,
        lifetimes: &'a mut LifetimeTallies,
        clock: &'a AllocationClock,
        names: &'a TraceNames,
        collection: &Collection,
        epoch: u32,
    ) -> Self {
        Self {
            heap,
            counts,
            lifetimes,
            uses: None,
            costs: None,
            doubts: None,
            number: collection.number,
            clock,
            names,
            epoch,
            before: SpaceMap::new(&collection.before),
            after: SpaceMap::new(&collection.after),
            outcome: Outcome::default(),
        }
    }

    /// Keeps the objects' last uses as well.
    pub(crate) fn with_uses(mut self, uses: Option<&'a mut LastUses>) -> Self {
        self.uses = uses;
        self
    }

    /// Sums up what each origin costs the collector as well.
    pub(crate) fn with_costs(mut self, costs: Option<&'a mut CostBuilder>) -> Self {
        self.costs = costs;
        self
    }

    /// Keeps what may be dead in old spaces as well.
    pub(crate) fn with_doubts(mut self, doubts: Option<&'a mut GrowthDoubts>) -> Self {
        self.doubts = doubts;
        self
    }

    /// Moves what lived before, or lets it die.
    pub(crate) fn relocate(&mut self, collection: &Collection, fates: &FateMap) {
        let mut arrivals = LiveHeap::default();
        let mut cursor = fates.cursor();
        let mut heap = core::mem::take(self.heap);
        heap.take_out(&merged(&collection.collected), |mut object| {
            match cursor.fate(object.address()) {
                Fate::Dead | Fate::Found => return self.died(&object),
                // Not in a collected range after all; this cannot be.
                Fate::Untouched => {}
                Fate::Survived(by) => {
                    let from = object.address();
                    object.end = object.end.wrapping_add(by);
                    self.outcome.explained += 1;
                    self.survived(&mut object, from);
                }
            }
            arrivals.insert(object);
        });
        heap.absorb(arrivals);
        *self.heap = heap;
    }

    fn died(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        self.outcome.died += one;
        if object.is_promoted() {
            self.outcome.died_promoted += one;
        }
        self.lifetimes.died(object, self.epoch, self.clock);
        self.counts.remove(object);
        if let Some(uses) = &mut self.uses {
            uses.died(object);
        }
        if let Some(costs) = &mut self.costs {
            costs.died(object, self.epoch);
        }
        if let Some(doubts) = &mut self.doubts
            && self.before.kind(object.address()).is_some_and(is_tenured)
        {
            doubts.died(object);
        }
    }

    fn survived(&mut self, object: &mut LiveObject, from: u64) {
        let one = Amount::one(object.bytes());
        if let Some(costs) = &mut self.costs {
            costs.kept(object, object.address() != from, self.epoch);
        }
        if let Some(doubts) = &mut self.doubts
            && self.before.kind(from).is_some_and(is_tenured)
        {
            doubts.kept(object);
        }
        if object.address() == from {
            self.outcome.stayed += one;
        } else {
            self.outcome.moved += one;
            object.arrived = self.number;
        }
        self.note_promotion(object, from);
    }

    fn note_promotion(&mut self, object: &mut LiveObject, from: u64) {
        let gets_old = !object.is_promoted()
            && self.before.kind(from).is_some_and(is_young)
            && self.after.kind(object.address()).is_some_and(is_old);
        if gets_old {
            object.promote();
            self.outcome.promoted += Amount::one(object.bytes());
            self.lifetimes.promoted(object);
            if let Some(costs) = &mut self.costs {
                costs.promoted(object);
            }
            if let Some(doubts) = &mut self.doubts {
                doubts.promoted(self.epoch.saturating_sub(object.birth));
            }
        }
    }

    /// Adds the objects of the epoch that live on.
    pub(crate) fn add_survivors(
        &mut self,
        survivors: impl Iterator<Item = Survivor>,
        fates: &FateMap,
    ) {
        let mut cursor = fates.cursor();
        for Survivor { mut object, from } in survivors {
            if cursor.fate(from) != Fate::Untouched {
                self.outcome.explained += 1;
                self.survived(&mut object, from);
            }
            self.add(object);
        }
    }

    /// Adds the objects that only the collection found.
    pub(crate) fn add_found(&mut self, runs: &[MoveRun]) {
        for run in runs {
            let Some(class) = run.found else {
                continue;
            };
            self.outcome.found += 1;
            let ty = self.names.class_type(class);
            let end = run.to.saturating_add(run.bytes);
            let mut object = LiveObject::new(end, run.bytes, SiteColumn::NONE, ty, self.epoch);
            self.survived(&mut object, run.from);
            self.add(object);
        }
    }

    fn add(&mut self, object: LiveObject) {
        let one = Amount::one(object.bytes());
        self.lifetimes.allocated(object.origin(), one);
        if let Some(costs) = &mut self.costs {
            costs.allocated(object.origin(), object.ty, one);
        }
        self.counts.add(&object);
        if let Some(uses) = &mut self.uses {
            uses.added(&object);
        }
        self.heap.insert(object);
    }

    /// Brings the heap into order.
    pub(crate) fn settle(&mut self) {
        let (counts, uses) = (&mut *self.counts, &mut self.uses);
        self.heap.settle(|object| {
            counts.remove(object);
            if let Some(uses) = uses {
                uses.died(object);
            }
        });
    }
}
