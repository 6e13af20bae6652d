//! Evacuations that fail in part, read inside the pause.
//!
//! When there is no room left to copy to, or native code has pinned a region, objects stay where they are: the collector forwards them to
//! themselves, and before the pause ends it takes that back, from them and from those that did move. So the spaces are read at looks
//! from inside the pause while a failure is possible, and the reading with the most forwarded objects is kept: the one between the end of
//! the evacuation and the clearing up.
//!
//! A failure is possible
//! - Serial, Parallel: when the old space, grown as far as it can, had less room at the start than the young spaces held, and by now has less room than
//!   the largest young object needs (it never gets more room while objects are promoted). One reading at the first look tells how large that one is;
//! - G1: in pinned regions (JDK 22 and later); while no region is free, in all young ones, and in old ones if some of these have left the set of old regions.
//!
//! Pinned regions are few and read at each look. Where no region is free, all is read after long phases only: G1 asks for the time some twenty times in a
//! pause, and most of its phases take microseconds. An object that a shorter one finds alive (references that are kept) has nowhere to go and stays: when the
//! pause is over it is there, and no filler ([`settle_kept`]).
//!
//! Once objects that were forwarded are so no more, clearing up has begun and nothing is read again.
//!
//! | object in that reading | |
//! |---|---|
//! | forwarded to another place | moved |
//! | forwarded to itself | stays |
//! | not forwarded | died, or in a region that was not to be evacuated |
//!
//! An old region that was to be evacuated and failed has a forwarded object.

use std::time::{Duration, Instant};

use crate::class_table::ClassTable;
use crate::collection_report::MovesFault;
use crate::error::Error;
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::filler_class::may_fill;
use crate::g1_regions::{EvacuationFailure, SeenRegions};
use crate::heap_spaces::HeapSpaces;
use crate::object_walk::{ObjectSizes, ObjectWalk};
use crate::piecewise_walk::walk_each;
use crate::space::{Space, SpaceKind};
use crate::survivor::Survivor;
use crate::walk_pool::WalkPool;

/// The collector gives up when it cannot get a whole buffer of this size or less, even if the object would fit.
const LARGEST_BUFFER: usize = 256 << 10;

/// Objects that are looked at again to see whether clearing up has begun.
const SAMPLE: usize = 16;

/// The evacuation, and what clears up after it, take longer.
const SHORTEST_PHASE: Duration = Duration::from_micros(100);

/// What one space showed.
#[derive(Debug)]
pub(crate) struct SpaceReading {
    pub(crate) space: Space,
    pub(crate) found: Evacuated,
}

/// The readings of one collection.
#[derive(Debug, Default)]
pub(crate) struct FailureReading {
    best: Vec<SpaceReading>,
    /// Forwarded objects in the best reading.
    forwarded: usize,
    /// Some of them stay where they were.
    has_failed: bool,
    /// The size of the largest young object, once it is known.
    largest: Option<usize>,
    regions: SeenRegions,
    /// When the latest look ended.
    looked: Option<Instant>,
    /// The collector has begun to clear up.
    is_over: bool,
}

impl FailureReading {
    /// A new collection begins.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The spaces in which evacuations may fail now. `before`: the spaces when the collection began, `now`: as they are.
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
        let is_behind_a_phase = self.is_behind_a_phase();
        if let Some((at_start, room)) = spaces.old_room(before).zip(spaces.old_room(now)) {
            let young = before.iter().filter(|space| is_young(space));
            let held: usize = young.map(|space| space.top.above(space.bottom)).sum();
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
            EvacuationFailure::Anywhere { of_old } if is_behind_a_phase => {
                filled(before, |space| is_young(space) || (of_old && is_old(space)))
            }
            EvacuationFailure::Anywhere { .. } => Vec::new(),
        })
    }

    fn is_behind_a_phase(&self) -> bool {
        self.looked.is_none_or(|at| at.elapsed() >= SHORTEST_PHASE)
    }

    /// A look has ended.
    pub(crate) fn note_look(&mut self) {
        self.looked = Some(Instant::now());
    }

    /// Reads the suspects as they are now. A reading in the middle of something may not parse and then counts for nothing.
    ///
    /// # Safety
    /// The world is stopped, this is the thread that runs the collection, and the spaces are committed memory.
    pub(crate) unsafe fn read<'a>(
        &mut self,
        suspects: Vec<Space>,
        needs_largest: bool,
        pool: &WalkPool,
        new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
    ) {
        let mut walk = new_walk();
        // SAFETY: passed on.
        self.is_over = unsafe { self.is_clearing_up(&walk) };
        if self.is_over {
            return;
        }
        let finds_largest = needs_largest && self.largest.is_none();
        // SAFETY: passed on.
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

    /// Are some objects of the best reading not forwarded any more?
    unsafe fn is_clearing_up(&self, walk: &EvacuationWalk<'_>) -> bool {
        let all = || {
            self.best
                .iter()
                .flat_map(|reading| &reading.found.survivors)
        };
        let step = self.forwarded / SAMPLE + 1;
        // SAFETY: objects of spaces that the caller vouches for.
        all()
            .step_by(step)
            .any(|survivor| !unsafe { walk.is_forwarded(survivor.from) })
    }

    /// Does the best reading show that the evacuation failed in part?
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// The reading, if it shows that the evacuation failed in part.
    pub(crate) fn take_failed(&mut self) -> Option<Vec<SpaceReading>> {
        let former = std::mem::take(self);
        former.has_failed.then_some(former.best)
    }
}

/// Those of the spaces that hold objects.
fn filled(spaces: &[Space], is_wanted: impl Fn(&Space) -> bool) -> Vec<Space> {
    let filled = spaces.iter().filter(|space| space.bottom < space.top);
    filled.filter(|space| is_wanted(space)).copied().collect()
}

/// Young spaces by one thread, which tells the largest object.
unsafe fn walk_with_care(
    spaces: &[Space],
    walk: &mut EvacuationWalk<'_>,
) -> Result<Vec<Evacuated>, MovesFault> {
    let each = spaces.iter().map(|space| {
        let mut found = Evacuated::default();
        // SAFETY: passed on.
        unsafe { walk.current_classes(space, &mut found) }?;
        Ok(found)
    });
    each.collect()
}

/// When the pause is over, regions that failed hold what stayed, and fillers in between. Adds what no reading has seen to stay. (Up to JDK 18 a filler cannot
/// be told from an `int[]` or an `Object`; such a one then counts as dead.)
///
/// # Safety
/// The world is stopped; the region is committed memory.
pub(crate) unsafe fn settle_kept(
    reading: &mut SpaceReading,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let survivors = reading.found.survivors.iter();
    let mut staying = survivors.filter(|survivor| !survivor.moved()).peekable();
    let mut unseen: Vec<Survivor> = Vec::new();
    // SAFETY: passed on.
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
