//! The heap as the reports say it must be.

use std::collections::HashSet;

use ducktrack_hotspot::{Address, ClassId, CollectionReport, Space, SpaceKind};

use crate::object_ids::id_of;

/// An object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) address: Address,
    pub(crate) bytes: u64,
    pub(crate) class: ClassId,
    /// 0: it has none, or it is not known yet.
    pub(crate) id: u64,
    /// The VM put it there to fill a gap.
    pub(crate) filler: bool,
}

/// What a report did to the model.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// Ids of objects that died.
    pub(crate) dead: HashSet<u64>,
    pub(crate) wrong: Vec<String>,
    pub(crate) moved: u64,
    pub(crate) stayed: u64,
    /// Survivors the model did not know: allocated since the last collection.
    pub(crate) new: u64,
}

/// All objects, ascending by address.
#[derive(Debug, Default)]
pub(crate) struct HeapModel {
    pub(crate) objects: Vec<Known>,
}

impl HeapModel {
    /// Changes the model as a report says. `old_copies`: is memory that was evacuated still as it was?
    ///
    /// # Safety
    /// With `old_copies`, the survivors' former places must be readable.
    pub(crate) unsafe fn apply(&mut self, report: &CollectionReport, old_copies: bool) -> Applied {
        let mut applied = Applied::default();
        let mut next = Vec::with_capacity(self.objects.len());
        let mut survivors = report.survivors.iter().peekable();
        let mut ranges = report.collected.iter().peekable();
        let is_ascending = report.survivors.is_sorted_by(|a, b| a.from < b.from)
            && report.collected.is_sorted_by(|a, b| a.end <= b.start);
        if !is_ascending {
            applied.wrong.push("not ascending".to_owned());
        }
        for &object in &self.objects {
            while let Some(survivor) = survivors.next_if(|next| next.from < object.address) {
                // SAFETY: passed on.
                next.push(unsafe { new_object(survivor, report, old_copies, &mut applied) });
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
            // SAFETY: passed on.
            next.push(unsafe { new_object(survivor, report, old_copies, &mut applied) });
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

    /// The end of the last object in a space that the model knows; its bottom when there is none.
    pub(crate) fn end_in(&self, space: &Space) -> Address {
        let behind = self
            .objects
            .partition_point(|object| object.address < space.top);
        let last = self.objects[..behind].last();
        last.filter(|object| object.address >= space.bottom)
            .map_or(space.bottom, |object| {
                object
                    .address
                    .plus(usize::try_from(object.bytes).expect("size"))
            })
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

/// A survivor the model did not know: it must have been where objects are allocated.
unsafe fn new_object(
    survivor: &ducktrack_hotspot::Survivor,
    report: &CollectionReport,
    old_copies: bool,
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
            SpaceKind::Eden | SpaceKind::Old | SpaceKind::HumongousStart
        )
    });
    if !is_collected || !allocated_there {
        applied
            .wrong
            .push(format!("{survivor:?} was not there before, {place:?}"));
    }
    let id = if old_copies {
        // SAFETY: the caller says that old copies are still there.
        unsafe { id_of(survivor.from, survivor.bytes()) }
    } else {
        0
    };
    Known {
        address: survivor.to,
        bytes: survivor.bytes(),
        class: survivor.class,
        id,
        filler: false,
    }
}
