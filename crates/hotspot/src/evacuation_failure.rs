//! Evacuations that fail in part, read inside the pause.
//!
//! When there is no room left to copy to, or native code has pinned a region, objects stay where they are: the collector forwards them to
//! themselves, and before the pause ends it takes that back, from them and from those that did move. So the spaces are read at every look
//! from inside the pause while a failure is possible, and the reading with the most forwarded objects is kept: the one between the end of
//! the evacuation and the clearing up.
//!
//! A failure is possible
//! - Serial, Parallel: when the old space, grown as far as it can, had less room at the start than the young spaces held, and by now has less room than
//!   the largest young object needs (it never gets more room while objects are promoted). One reading at the first look tells how large that one is;
//! - G1: while no region is free, or one is pinned (JDK 22 and later).
//!
//! Once objects that were forwarded are so no more, clearing up has begun and nothing is read again.
//!
//! | object in that reading | |
//! |---|---|
//! | forwarded to another place | moved |
//! | forwarded to itself | stays |
//! | not forwarded | died, or in a region that was not to be evacuated |
//!
//! Old regions of G1 are read as well: one that was to be evacuated and failed has a forwarded object.

use crate::collection_report::MovesFault;
use crate::error::Error;
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::heap_spaces::{HeapSpaces, Space, SpaceKind};

/// The collector gives up when it cannot get a whole buffer of this size or less, even if the object would fit.
const LARGEST_BUFFER: usize = 256 << 10;

/// So many objects are looked at again to see whether clearing up has begun.
const SAMPLE: usize = 16;

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
    /// The size of the largest young object, once it is known.
    largest: Option<usize>,
    /// The collector has begun to clear up.
    is_over: bool,
}

impl FailureReading {
    /// A new collection begins.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Is it worth while to read the spaces now? `before`: the spaces when the collection began, `now`: as they are.
    pub(crate) fn is_possible(
        &self,
        spaces: &HeapSpaces,
        before: &[Space],
        now: &[Space],
    ) -> Result<bool, Error> {
        if self.is_over {
            return Ok(false);
        }
        let Some((at_start, room)) = spaces.old_room(before).zip(spaces.old_room(now)) else {
            return spaces.region_may_fail();
        };
        let young = before.iter().filter(|space| space.kind.is_young());
        let held: usize = young.map(|space| space.top.above(space.bottom)).sum();
        let needed = |largest: usize| room < largest.max(LARGEST_BUFFER);
        Ok(at_start < held && self.largest.is_none_or(needed))
    }

    /// Reads the young spaces, and the old ones as well (`with_old`), as they are now. A reading in the middle of something may not parse and then counts for nothing.
    ///
    /// # Safety
    /// The world is stopped, this is the thread that runs the collection, and the spaces are committed memory.
    pub(crate) unsafe fn look(
        &mut self,
        before: &[Space],
        with_old: bool,
        walk: &mut EvacuationWalk<'_>,
    ) {
        // SAFETY: passed on.
        self.is_over = unsafe { self.is_clearing_up(walk) };
        if self.is_over {
            return;
        }
        // SAFETY: passed on.
        let Ok(reading) = (unsafe { read(before, with_old, walk) }) else {
            return;
        };
        self.largest = reading.iter().map(|one| one.found.largest).max();
        let forwarded = reading.iter().map(|one| one.found.survivors.len()).sum();
        if forwarded > self.forwarded {
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
        self.best.iter().any(|reading| {
            let mut survivors = reading.found.survivors.iter();
            survivors.any(|survivor| !survivor.moved())
        })
    }

    /// The reading, if it shows that the evacuation failed in part.
    pub(crate) fn take_failed(&mut self) -> Option<Vec<SpaceReading>> {
        let has_failed = self.has_failed();
        let best = std::mem::take(&mut self.best);
        self.forget();
        has_failed.then_some(best)
    }
}

/// Reads every space that can be evacuated.
unsafe fn read(
    before: &[Space],
    with_old: bool,
    walk: &mut EvacuationWalk<'_>,
) -> Result<Vec<SpaceReading>, MovesFault> {
    let mut readings = Vec::new();
    for space in before.iter().filter(|space| space.bottom < space.top) {
        let can_be_evacuated = space.kind.is_young() || (with_old && space.kind == SpaceKind::Old);
        if !can_be_evacuated {
            continue;
        }
        let mut found = Evacuated::default();
        // Objects that wait in old regions may be of classes that are gone. In young spaces a reading that fails is one at the wrong moment.
        // SAFETY: passed on.
        unsafe {
            if space.kind.is_young() {
                walk.current_classes(space, &mut found)?;
            } else {
                walk.space(space, &mut found)?;
            }
        }
        readings.push(SpaceReading {
            space: *space,
            found,
        });
    }
    Ok(readings)
}
