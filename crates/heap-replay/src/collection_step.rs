//! One collection, applied to the live heap.

use ducktrack_count_model::{SiteColumn, TraceNames};
use ducktrack_live_heap::{Amount, Fate, FateMap};
use ducktrack_trace_format::{AddressRange, HeapClassId, MoveRun};

use crate::analysis::{Analysis, Step};
use crate::epoch_part::NewSurvivor;
use crate::live_counts::LiveCounts;
use crate::live_object::{LiveHeap, LiveObject};
use crate::outcome::Outcome;
use crate::space_map::{is_old, is_young};

/// The parts of a heap that a collection changes, and who hears of it.
pub(crate) struct CollectionStep<'s, 'a> {
    pub(crate) objects: &'s mut LiveHeap,
    pub(crate) counts: &'s mut LiveCounts,
    pub(crate) names: &'s TraceNames,
    pub(crate) analyses: &'s mut [&'a mut dyn Analysis],
    pub(crate) step: Step<'s>,
    pub(crate) outcome: Outcome,
}

impl CollectionStep<'_, '_> {
    /// Moves what lived before, or lets it die.
    pub(crate) fn relocate(&mut self, collected: &[AddressRange], fates: &FateMap) {
        let mut arrivals = LiveHeap::default();
        let mut cursor = fates.cursor();
        let mut objects = core::mem::take(self.objects);
        objects.drain(collected, |from, mut object| {
            match cursor.fate(from) {
                Fate::Dead | Fate::Found => return self.died(&object),
                // Not in a collected range after all; this cannot be.
                Fate::Untouched => {}
                Fate::Survived(by) => {
                    object.end = object.end.wrapping_add(by);
                    self.outcome.explained += 1;
                    self.kept(&mut object, from);
                }
            }
            arrivals.push(object.address(), object);
        });
        objects.absorb(arrivals);
        *self.objects = objects;
    }

    fn died(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        self.outcome.died += one;
        if object.is_promoted() {
            self.outcome.died_promoted += one;
        }
        self.counts.remove(object);
        for analysis in &mut *self.analyses {
            analysis.died(object, &self.step);
        }
    }

    fn kept(&mut self, object: &mut LiveObject, from: u64) {
        for analysis in &mut *self.analyses {
            analysis.kept(object, from, &self.step);
        }
        let one = Amount::one(object.bytes());
        if object.address() == from {
            self.outcome.stayed += one;
        } else {
            self.outcome.moved += one;
            object.arrived = self.step.collection.number;
        }
        self.note_promotion(object, from);
    }

    fn note_promotion(&mut self, object: &mut LiveObject, from: u64) {
        let gets_old = !object.is_promoted()
            && self.step.before.kind(from).is_some_and(is_young)
            && self.step.after.kind(object.address()).is_some_and(is_old);
        if gets_old {
            object.promote();
            self.outcome.promoted += Amount::one(object.bytes());
            for analysis in &mut *self.analyses {
                analysis.promoted(object, &self.step);
            }
        }
    }

    /// Adds the objects of the epoch that live on.
    pub(crate) fn add_survivors(
        &mut self,
        survivors: impl Iterator<Item = NewSurvivor>,
        fates: &FateMap,
    ) {
        let judges_all = self.step.collection.judges_all_new();
        let mut cursor = fates.cursor();
        for NewSurvivor { mut object, from } in survivors {
            for analysis in &mut *self.analyses {
                analysis.born(&object, &self.step);
            }
            if cursor.fate(from) != Fate::Untouched {
                self.outcome.explained += 1;
                self.kept(&mut object, from);
            } else if judges_all {
                self.outcome.strays += 1;
            }
            self.add(object);
        }
    }

    /// Adds the objects that only the collection found.
    pub(crate) fn add_found(&mut self, runs: &[MoveRun]) {
        for run in runs {
            if let Some(class) = run.found {
                self.found(run, class);
            }
        }
    }

    fn found(&mut self, run: &MoveRun, class: HeapClassId) {
        self.outcome.found += 1;
        let ty = self.names.class_type(class);
        let end = run.to.saturating_add(run.bytes);
        let mut object = LiveObject::new(end, run.bytes, SiteColumn::NONE, ty, self.step.epoch);
        for analysis in &mut *self.analyses {
            analysis.found(&object, &self.step);
        }
        self.kept(&mut object, run.from);
        self.add(object);
    }

    fn add(&mut self, object: LiveObject) {
        self.counts.add(&object);
        self.objects.push(object.address(), object);
    }

    /// Brings the heap into order.
    pub(crate) fn settle(&mut self) {
        let (counts, analyses) = (&mut *self.counts, &mut *self.analyses);
        let conflicts = &mut self.outcome.conflicts;
        self.objects.settle(|object| {
            *conflicts += 1;
            counts.remove(object);
            for analysis in &mut *analyses {
                analysis.overlaid(object);
            }
        });
    }

    /// Adds the survivors that are no object of the heap yet, once it is in order; `classes` are those of the runs.
    pub(crate) fn add_unexplained(&mut self, runs: &[MoveRun], classes: &[HeapClassId]) {
        let of_class = runs.iter().zip(classes);
        let unknown = of_class.filter(|(run, _)| self.objects.get(run.to).is_none());
        let unknown: Vec<_> = unknown.collect();
        for (run, class) in unknown {
            self.found(run, *class);
        }
        self.settle();
    }
}
