//! Every state of a heap, and when each object could be reached last.

use std::collections::{BTreeMap, BTreeSet};

/// References of one moment; objects are numbers from 1 on.
#[derive(Clone, Default)]
pub(super) struct Heap {
    pub(super) fields: BTreeMap<(u64, u32), u64>,
    pub(super) globals: BTreeMap<u32, u64>,
}

impl Heap {
    pub(super) fn reached_from(&self, mut rest: Vec<u64>) -> BTreeSet<u64> {
        let mut reached = BTreeSet::new();
        while let Some(object) = rest.pop() {
            if reached.insert(object) {
                rest.extend(self.fields_of(object).map(|(_, target)| target));
            }
        }
        reached
    }

    pub(super) fn fields_of(&self, object: u64) -> impl Iterator<Item = (u32, u64)> + '_ {
        let fields = self.fields.range((object, 0)..=(object, u32::MAX));
        fields.map(|((_, slot), target)| (*slot, *target))
    }
}

/// The heap after each moment, and when each object was used.
#[derive(Default)]
pub(super) struct States {
    /// Position is the moment; several states can be of one.
    pub(super) heaps: Vec<(u64, Heap)>,
    pub(super) uses: BTreeMap<u64, u64>,
    pub(super) born: BTreeMap<u64, u64>,
}

impl States {
    pub(super) fn used(&mut self, object: u64, moment: u64) {
        let last = self.uses.entry(object).or_default();
        *last = moment.max(*last);
    }

    /// The last moment at which the object is in a state of the heap where a global variable leads to it, or
    /// an object that is used then or later. The moment of a change sees the heap before it and after it.
    pub(super) fn deaths(&self) -> BTreeMap<u64, u64> {
        let mut deaths = BTreeMap::new();
        let before = self
            .heaps
            .iter()
            .skip(1)
            .zip(&self.heaps)
            .map(|(after, before)| (after.0, &before.1));
        for (moment, heap) in self
            .heaps
            .iter()
            .map(|(moment, heap)| (*moment, heap))
            .chain(before)
        {
            let used = self.uses.iter().filter(|(_, last)| **last >= moment);
            let roots = used
                .map(|(object, _)| *object)
                .chain(heap.globals.values().copied());
            for object in heap.reached_from(roots.collect()) {
                if self.born[&object] <= moment {
                    let last = deaths.entry(object).or_default();
                    *last = moment.max(*last);
                }
            }
        }
        deaths
    }
}
