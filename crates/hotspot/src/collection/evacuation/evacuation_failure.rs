//! Reads evacuations that fail in part, during the pause.
//!
//! If there is no room left to copy to, or native code has pinned a region, objects stay in place: the collector forwards them to
//! themselves. Before the pause ends it undoes that, and also the forwarding of the objects that moved. So while a failure is possible, the
//! spaces are read at looks inside the pause, and the reading with the most forwarded objects is kept: the one between the end of the
//! evacuation and the cleanup.
//!
//! A failure is possible:
//! - Serial, Parallel: if the old space, grown to its maximum, had less room at the start than the young spaces held, and now has less room
//!   than the largest young object needs (the room never grows while objects are promoted). A reading at the first look finds the largest
//!   object;
//! - G1: in pinned regions (JDK 22 and later); and while no region is free, in all young regions, and in old ones if some of these have
//!   left the set of old regions.
//!
//! Pinned regions are few and are read at each look, and so is what is small: near its limit a heap has a young space of one region,
//! whose evacuation takes microseconds. If no region is free, more is read only after long phases: G1 reads the
//! clock some twenty times per pause, and most of its phases take microseconds. An object that a shorter phase finds alive (kept
//! references) cannot be copied and stays: when the pause is over it is there and is not a filler ([`settle_kept`]).
//!
//! Once forwarded objects are no longer forwarded, the cleanup has begun, and nothing is read again.
//!
//! | object in that reading | |
//! |---|---|
//! | forwarded to another place | moved |
//! | forwarded to itself | stays |
//! | not forwarded | died, or lies in a region that was not to be evacuated |
//!
//! An old region whose evacuation was tried and failed has a forwarded object.

use std::time::{Duration, Instant};

use crate::classes::class_table::ClassTable;
use crate::classes::filler_class::may_fill;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::piecewise_walk::walk_each;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::error::Error;
use crate::heap::g1_regions::{EvacuationFailure, SeenRegions};
use crate::heap::heap_spaces::HeapSpaces;
use crate::heap::object_walk::{ObjectSizes, ObjectWalk};
use crate::heap::space::{Space, SpaceKind};
use crate::process::walk_pool::WalkPool;

/// The collector gives up if it cannot allocate a whole buffer, of at most this size, even if the object would fit.
const LARGEST_BUFFER: usize = 256 << 10;

/// Objects checked again to see whether the cleanup has begun.
const SAMPLE: usize = 16;

/// Lower bound on the duration of an evacuation and of the cleanup after it.
const SHORTEST_PHASE: Duration = Duration::from_micros(100);

/// As much as this is read at each look, since its evacuation may be shorter: it takes about as long to read.
const READ_AT_EACH_LOOK: usize = 4 << 20;

/// The reading of one space.
#[derive(Debug)]
pub(crate) struct SpaceReading {
    pub(crate) space: Space,
    pub(crate) found: Evacuated,
}

/// The best reading of one collection.
#[derive(Debug, Default)]
pub(crate) struct FailureReading {
    best: Vec<SpaceReading>,
    /// Forwarded objects in the best reading.
    forwarded: usize,
    /// Some of these are forwarded to themselves.
    has_failed: bool,
    /// The size of the largest young object in bytes, once it is known.
    largest: Option<usize>,
    regions: SeenRegions,
    /// The end of the latest look.
    looked: Option<Instant>,
    /// The cleanup has begun.
    is_over: bool,
}

impl FailureReading {
    /// Resets the state for a new collection.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The spaces in which evacuations may fail now. `before`: spaces at the start of the collection; `now`: current spaces.
    pub(crate) fn suspects(
        &mut self,
        spaces: &HeapSpaces,
        before: &[Space],
        now: &[Space],
    ) -> Result<Vec<Space>, Error> {
        let is_young = |space: &Space| space.kind.is_young();
        if self.is_over {
            return Ok(Vec::new());
        }
        let is_after_a_long_phase = self.is_after_a_long_phase();
        if let Some((at_start, room)) = spaces.old_room(before).zip(spaces.old_room(now)) {
            let held = held_by(&filled(before, is_young));
            let needed = |largest: usize| room < largest.max(LARGEST_BUFFER);
            return Ok(match at_start < held && self.largest.is_none_or(needed) {
                true => filled(before, is_young),
                false => Vec::new(),
            });
        }
        let is_old = |space: &Space| space.kind == SpaceKind::Old;
        Ok(match spaces.evacuation_failure(&mut self.regions)? {
            EvacuationFailure::Impossible => Vec::new(),
            EvacuationFailure::InPinned(pinned) => filled(before, |space| {
                let is_pinned = pinned.binary_search(&space.bottom).is_ok();
                is_pinned && (is_young(space) || is_old(space))
            }),
            EvacuationFailure::Anywhere { of_old } if is_after_a_long_phase => {
                filled(before, |space| is_young(space) || (of_old && is_old(space)))
            }
            EvacuationFailure::Anywhere { .. } => {
                let young = filled(before, is_young);
                match held_by(&young) <= READ_AT_EACH_LOOK {
                    true => young,
                    false => Vec::new(),
                }
            }
        })
    }

    fn is_after_a_long_phase(&self) -> bool {
        self.looked.is_none_or(|at| at.elapsed() >= SHORTEST_PHASE)
    }

    /// Records the end of a look.
    pub(crate) fn note_look(&mut self) {
        self.looked = Some(Instant::now());
    }

    /// Reads the suspects. A reading that does not parse, because the collector is at work on the space, is ignored.
    ///
    /// # Safety
    /// The world must be stopped, this must be the thread that runs the collection, and the spaces must be committed memory.
    pub(crate) unsafe fn read<'a>(
        &mut self,
        suspects: Vec<Space>,
        needs_largest: bool,
        pool: &WalkPool,
        new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
    ) {
        let mut walk = new_walk();
        // SAFETY: the caller upholds the same contract.
        self.is_over = unsafe { self.is_clearing_up(&walk) };
        if self.is_over {
            return;
        }
        let finds_largest = needs_largest && self.largest.is_none();
        // SAFETY: the caller upholds the same contract.
        let found = unsafe {
            match finds_largest {
                true => walk_with_care(&suspects, &mut walk),
                false => walk_each(pool, &suspects, new_walk),
            }
        };
        let Ok(found) = found else { return };
        if finds_largest {
            self.largest = found.iter().map(|found| found.largest).max();
        }
        let each = suspects.into_iter().zip(found);
        let reading: Vec<SpaceReading> = each
            .map(|(space, found)| SpaceReading { space, found })
            .collect();
        let forwarded = reading.iter().map(|one| one.found.survivors.len()).sum();
        if forwarded > self.forwarded {
            let mut survivors = reading.iter().flat_map(|one| &one.found.survivors);
            self.has_failed = survivors.any(|survivor| !survivor.moved());
            self.best = reading;
            self.forwarded = forwarded;
        }
    }

    /// Whether some objects of the best reading are no longer forwarded.
    unsafe fn is_clearing_up(&self, walk: &EvacuationWalk<'_>) -> bool {
        let all = || {
            self.best
                .iter()
                .flat_map(|reading| &reading.found.survivors)
        };
        let step = self.forwarded / SAMPLE + 1;
        // SAFETY: the objects lie in spaces that the caller vouches for.
        all()
            .step_by(step)
            .any(|survivor| !unsafe { walk.is_forwarded(survivor.from) })
    }

    /// Whether the best reading shows a partly failed evacuation.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Returns the reading if it shows a partly failed evacuation.
    pub(crate) fn take_failed(&mut self) -> Option<Vec<SpaceReading>> {
        let former = std::mem::take(self);
        former.has_failed.then_some(former.best)
    }
}

/// The wanted spaces that hold objects.
fn filled(spaces: &[Space], is_wanted: impl Fn(&Space) -> bool) -> Vec<Space> {
    let filled = spaces.iter().filter(|space| space.bottom < space.top);
    filled.filter(|space| is_wanted(space)).copied().collect()
}

/// Bytes up to the tops.
fn held_by(spaces: &[Space]) -> usize {
    let each = spaces.iter().map(|space| space.top.above(space.bottom));
    each.sum()
}

/// Walks spaces with a single thread, which also finds the largest object.
unsafe fn walk_with_care(
    spaces: &[Space],
    walk: &mut EvacuationWalk<'_>,
) -> Result<Vec<Evacuated>, MovesFault> {
    let each = spaces.iter().map(|space| {
        let mut found = Evacuated::default();
        // SAFETY: the caller upholds the same contract.
        unsafe { walk.current_classes(space, &mut found) }?;
        Ok(found)
    });
    each.collect()
}

/// After the pause, failed regions hold the objects that stayed, with fillers in between. Adds objects that stayed but were in no reading.
/// (Up to JDK 18 a filler looks like an `int[]` or an `Object`; such an object counts as dead.)
///
/// # Safety
/// The world must be stopped, and the region must be committed memory.
pub(crate) unsafe fn settle_kept(
    reading: &mut SpaceReading,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let survivors = reading.found.survivors.iter();
    let mut staying = survivors.filter(|survivor| !survivor.moved()).peekable();
    let mut unseen: Vec<Survivor> = Vec::new();
    // SAFETY: the caller upholds the same contract.
    let walk = unsafe { ObjectWalk::new(&reading.space, classes, sizes) };
    for object in walk {
        let space = reading.space.index;
        let object = object.map_err(|fault| MovesFault::Unparsed { space, fault })?;
        let at = object.address;
        let stays = staying.next_if(|survivor| survivor.from == at);
        if stays.is_none() && !may_fill(classes, object.class) {
            unseen.extend(Survivor::new(at, at, object.bytes, object.class));
        }
    }
    if let Some(&Survivor { from, to, .. }) = staying.next() {
        let found = "no object where it stayed";
        return Err(MovesFault::Destination { from, to, found });
    }
    reading.found.dead = reading.found.dead.saturating_sub(unseen.len() as u64);
    reading.found.survivors.append(&mut unseen);
    Ok(())
}
