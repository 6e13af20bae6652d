//! The heap as it must be according to the reports.

use std::collections::HashSet;

use ducktrack_hotspot::{Address, ClassId, ClassTable, CollectionReport, Space, SpaceKind};

use crate::object_ids::id_of;

/// An object of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) address: Address,
    pub(crate) bytes: u64,
    pub(crate) class: ClassId,
    /// 0: it has no id, or the id is not known yet.
    pub(crate) id: u64,
    /// A filler of the VM.
    pub(crate) filler: bool,
}

impl Known {
    /// The first address after it.
    pub(crate) fn end(&self) -> Address {
        self.address
            .plus(usize::try_from(self.bytes).expect("size"))
    }
}

/// The effect of a report on the model.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// Ids of objects that died.
    pub(crate) dead: HashSet<u64>,
    pub(crate) wrong: Vec<String>,
    pub(crate) moved: u64,
    pub(crate) stayed: u64,
    /// Survivors that the model did not know: allocated since the last collection.
    pub(crate) new: u64,
}

/// All objects, ascending by address.
#[derive(Debug, Default)]
pub(crate) struct HeapModel {
    pub(crate) objects: Vec<Known>,
}

impl HeapModel {
    /// Applies a report to the model. `copies` is given if evacuated memory is still unchanged.
    ///
    /// # Safety
    /// With `copies`, the survivors' old places must be readable.
    pub(crate) unsafe fn apply(
        &mut self,
        report: &CollectionReport,
        copies: Option<&ClassTable>,
    ) -> Applied {
        let mut applied = Applied::default();
        let mut next = Vec::with_capacity(self.objects.len());
        let all = report.survivors.to_vec();
        let mut survivors = all.iter().peekable();
        let mut ranges = report.collected.iter().peekable();
        let is_ascending = all.is_sorted_by(|a, b| a.from < b.from)
            && report.collected.is_sorted_by(|a, b| a.end <= b.start);
        if !is_ascending {
            applied.wrong.push("not ascending".to_owned());
        }
        for &object in &self.objects {
            while let Some(survivor) = survivors.next_if(|next| next.from < object.address) {
                // SAFETY: this function has the same requirements.
                next.push(unsafe { new_object(survivor, report, copies, &mut applied) });
            }
            while ranges
                .next_if(|range| range.end <= object.address)
                .is_some()
            {}
            let is_collected = ranges
                .peek()
                .is_some_and(|range| range.contains(object.address));
            match survivors.next_if(|next| next.from == object.address) {
                None if is_collected => {
                    applied.dead.insert(object.id);
                }
                None => next.push(object),
                Some(survivor) => {
                    let same = survivor.bytes() == object.bytes && survivor.class == object.class;
                    if !is_collected || !same || object.filler {
                        applied.wrong.push(format!("{survivor:?} was {object:?}"));
                    }
                    applied.count(survivor.moved());
                    next.push(Known {
                        address: survivor.to,
                        ..object
                    });
                }
            }
        }
        for survivor in survivors {
            // SAFETY: this function has the same requirements.
            next.push(unsafe { new_object(survivor, report, copies, &mut applied) });
        }
        next.sort_unstable_by_key(|object| object.address);
        for pair in next.windows(2) {
            if pair[0]
                .address
                .plus(usize::try_from(pair[0].bytes).expect("size"))
                > pair[1].address
            {
                applied.wrong.push(format!("{pair:?} overlap"));
            }
        }
        self.objects = next;
        applied
    }

    /// The ids of all objects.
    pub(crate) fn ids(&self) -> HashSet<u64> {
        self.objects.iter().map(|object| object.id).collect()
    }

    /// The end of the last known object in a space, or the space's bottom if there is none.
    pub(crate) fn end_in(&self, space: &Space) -> Address {
        let known = self.between(space.bottom, space.top);
        known.last().map_or(space.bottom, Known::end)
    }

    /// The object at an address.
    pub(crate) fn at(&self, address: Address) -> Option<Known> {
        let place = self
            .objects
            .binary_search_by_key(&address, |object| object.address);
        self.objects.get(place.ok()?).copied()
    }

    /// The objects that start at or after `start` and before `end`.
    pub(crate) fn between(&self, start: Address, end: Address) -> &[Known] {
        let before = |address| move |object: &Known| object.address < address;
        let first = self.objects.partition_point(before(start));
        let after = self.objects.partition_point(before(end));
        &self.objects[first..after.max(first)]
    }
}

impl Applied {
    fn count(&mut self, moved: bool) {
        if moved {
            self.moved += 1;
        } else {
            self.stayed += 1;
        }
    }
}

/// Adds a survivor that the model did not know: it must have been where objects are allocated, or in an archive that the VM mapped
/// into the heap.
unsafe fn new_object(
    survivor: &ducktrack_hotspot::Survivor,
    report: &CollectionReport,
    copies: Option<&ClassTable>,
    applied: &mut Applied,
) -> Known {
    applied.new += 1;
    applied.count(survivor.moved());
    let is_collected = report
        .collected
        .iter()
        .any(|range| range.contains(survivor.from));
    let place = report
        .before
        .iter()
        .find(|space| space.bottom <= survivor.from && survivor.from < space.top);
    let allocated_there = place.is_some_and(|space| {
        matches!(
            space.kind,
            SpaceKind::Eden | SpaceKind::Old | SpaceKind::HumongousStart | SpaceKind::Archive
        )
    });
    if !is_collected || !allocated_there {
        applied
            .wrong
            .push(format!("{survivor:?} was not there before, {place:?}"));
    }
    let id = copies.map_or(0, |classes| {
        // SAFETY: with `copies`, the caller guarantees that the old copies are readable.
        unsafe { id_of(survivor.from, survivor.bytes(), survivor.class, classes) }
    });
    Known {
        address: survivor.to,
        bytes: survivor.bytes(),
        class: survivor.class,
        id,
        filler: false,
    }
}
