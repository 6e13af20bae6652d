//! Checks after an evacuation that the memory that objects moved to holds exactly these objects.
//!
//! Each survivor that moved must have its own place ([`NewPlaces`]), where an object of its class starts. Every other object in these
//! places must be a filler: collectors copy into buffers and fill the rest of them. Each place is walked up to the end of its last survivor
//! and no further, because the memory after it may already belong to the allocation that triggered the collection, with nothing written to
//! it yet.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable};
use crate::classes::filler_class::{may_fill, only_fills};
use crate::collection::evacuation::evacuation_walk::EvacuationWalk;
use crate::collection::evacuation::lanes::{CountClasses, Stretches, walk_in_lanes};
use crate::collection::evacuation::new_places::{Claim, NewPlaces};
use crate::collection::evacuation::placement_sum::PlacementSum;
use crate::collection::evacuation::stretch::{Stretch, WalkedStretch};
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::WalkFault;
use crate::process::walk_pool::WalkPool;

/// Places are cut into stretches of about this many bytes. Most regions stay whole: cuts are made at claims, and a claim may be wrong.
const STRETCH: usize = 1 << 20;

/// Claims the new places of all survivors, and compares them with the memory there, on all threads of the pool.
///
/// # Safety
/// As for [`meet`].
pub(crate) unsafe fn check<'a>(
    survivors: &[Survivor],
    places: &NewPlaces,
    classes: &ClassTable,
    pool: &WalkPool,
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<(), MovesFault> {
    claim(survivors, places)?;
    // SAFETY: the caller upholds the same contract.
    let met = unsafe { meet(places, classes, pool, new_walk) }?;
    met.compare(survivors, classes)
}

fn claim(survivors: &[Survivor], places: &NewPlaces) -> Result<(), MovesFault> {
    for survivor in survivors.iter().filter(|survivor| survivor.moved()) {
        let found = match places.claim(survivor.to) {
            Claim::First => continue,
            Claim::Again => "memory that another object moved to",
            Claim::Nowhere => "memory that nothing should move to",
        };
        return Err(MovesFault::Destination {
            from: survivor.from,
            to: survivor.to,
            found,
        });
    }
    Ok(())
}

/// Walks each place up to its last claim, and clears the claims to objects found there.
///
/// # Safety
/// The world must be stopped, the evacuation ended, and the places committed.
pub(crate) unsafe fn meet<'a>(
    places: &NewPlaces,
    classes: &ClassTable,
    pool: &WalkPool,
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<PlaceTally, MovesFault> {
    let stretches = stretches(places);
    // SAFETY: the caller upholds the same contract.
    unsafe { count(&stretches, places, classes.len(), pool, &new_walk) }
}

/// Cuts the places at claims.
fn stretches(places: &NewPlaces) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for place in places.list() {
        let Some(last) = places.last_claim(place) else {
            continue;
        };
        let cuts = places.claims_apart(place, STRETCH);
        let mut start = place.start;
        let ends = cuts
            .skip_while(|cut| *cut == place.start)
            .chain([last.plus(8)]);
        for stop in ends {
            stretches.push(Stretch {
                number: stretches.len(),
                space: place.space,
                start,
                stop,
                top: place.limit,
            });
            start = stop;
        }
    }
    stretches
}

/// Objects found at the new places, by row of the class table.
#[derive(Debug, Default)]
pub(crate) struct PlaceTally {
    rows: Vec<Count>,
    /// Over the claimed objects.
    sum: PlacementSum,
}

/// Objects of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    /// Objects claimed by a survivor.
    claimed: u64,
    others: u64,
}

impl PlaceTally {
    /// The number of objects claimed by a survivor.
    pub(crate) fn claimed(&self) -> u64 {
        self.rows.iter().map(|count| count.claimed).sum()
    }

    /// Whether exactly these survivors were found, and otherwise only fillers. `sum`: over all survivors, each at its new place.
    pub(crate) fn is_all(&self, survivors: u64, sum: PlacementSum, classes: &ClassTable) -> bool {
        self.claimed() == survivors && self.sum == sum && self.other(classes).is_none()
    }

    /// Counts a claimed object as a filler. Returns `None` if its class cannot be a filler.
    pub(crate) fn reclassify_filler(
        &mut self,
        place: Address,
        class: ClassId,
        bytes: usize,
        classes: &ClassTable,
    ) -> Option<()> {
        let count = self.rows.get_mut(class.0 as usize)?;
        count.claimed = count.claimed.checked_sub(1)?;
        count.others += 1;
        self.sum.take_away(place, class, bytes);
        may_fill(classes, class).then_some(())
    }

    /// A class with unclaimed objects that are not fillers, or with claimed objects that are.
    fn other(&self, classes: &ClassTable) -> Option<ClassId> {
        let rows = (0..).map(ClassId).zip(&self.rows);
        let mut wrong = rows.filter(|(id, met)| {
            met.others != 0 && !may_fill(classes, *id)
                || met.claimed != 0 && only_fills(classes, *id)
        });
        wrong.next().map(|(id, _)| id)
    }

    /// Checks that all survivors were found, with their classes, and otherwise only fillers.
    fn compare(&self, survivors: &[Survivor], classes: &ClassTable) -> Result<(), MovesFault> {
        let mut claimed: Vec<u64> = vec![0; self.rows.len()];
        for survivor in survivors.iter().filter(|survivor| survivor.moved()) {
            if let Some(count) = claimed.get_mut(survivor.class.0 as usize) {
                *count += 1;
            }
        }
        let other = self.other(classes);
        for (id, (&claimed, met)) in (0..).map(ClassId).zip(claimed.iter().zip(&self.rows)) {
            if claimed != met.claimed || other == Some(id) {
                return Err(MovesFault::Coverage {
                    class: id,
                    claimed,
                    found: met.claimed + met.others,
                });
            }
        }
        Ok(())
    }
}

/// Counts the objects of all stretches.
unsafe fn count<'a>(
    stretches: &[Stretch],
    places: &NewPlaces,
    classes: usize,
    pool: &WalkPool,
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
) -> Result<PlaceTally, MovesFault> {
    let next = AtomicUsize::new(0);
    let new_work = || {
        let listed = StretchList {
            stretches,
            next: &next,
            outcome: Ok(()),
        };
        let counts = Counts {
            places,
            rows: vec![Count::default(); classes],
            sum: PlacementSum::default(),
        };
        (listed, counts)
    };
    // SAFETY: the caller vouches for the places.
    let done = unsafe { walk_in_lanes(pool, new_walk, new_work) }?;
    let mut all = PlaceTally {
        rows: vec![Count::default(); classes],
        sum: PlacementSum::default(),
    };
    for (listed, found) in done {
        listed.outcome?;
        all.sum.join(found.sum);
        for (sum, found) in all.rows.iter_mut().zip(found.rows) {
            sum.claimed += found.claimed;
            sum.others += found.others;
        }
    }
    Ok(all)
}

/// The counts of one thread.
struct Counts<'p> {
    places: &'p NewPlaces,
    rows: Vec<Count>,
    sum: PlacementSum,
}

impl CountClasses for Counts<'_> {
    const KEEPS_SURVIVORS: bool = false;

    #[inline(always)]
    fn count(&mut self, row: u32, object: usize, bytes: usize) {
        let is_claimed = self.places.clear_claim(Address(object));
        self.sum
            .add_if(is_claimed, Address(object), ClassId(row), bytes);
        if let Some(count) = self.rows.get_mut(row as usize) {
            count.claimed += u64::from(is_claimed);
            count.others += u64::from(!is_claimed);
        }
    }
}

/// Hands one thread its stretches.
struct StretchList<'s> {
    stretches: &'s [Stretch],
    next: &'s AtomicUsize,
    outcome: Result<(), MovesFault>,
}

impl Stretches for StretchList<'_> {
    fn next(&mut self, _: &mut EvacuationWalk<'_>) -> Option<Stretch> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.stretches.get(number).copied()
    }

    fn passed(&mut self, passed: WalkedStretch) {
        let WalkedStretch { stretch, end, .. } = passed;
        let goes_on = self
            .stretches
            .get(stretch.number + 1)
            .is_some_and(|next| next.start == stretch.stop);
        if let Some(fault) = passed.fault {
            self.outcome = Err(fault);
        } else if goes_on && end != stretch.stop {
            // An object reaches past the start of another one.
            let fault = WalkFault::BadSize {
                object: stretch.stop,
                bytes: end.above(stretch.stop),
            };
            let space = stretch.space;
            self.outcome = Err(MovesFault::Unparsed { space, fault });
        }
    }
}
