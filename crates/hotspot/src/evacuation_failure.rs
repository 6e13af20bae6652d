//! Evacuations that fail in part, read inside the pause.
//!
//! When there is no room left to copy to, or native code has pinned a region, objects stay where they are: the collector forwards them to
//! themselves, and before the pause ends it takes that back, from them and from those that did move. So the spaces are read at every look
//! from inside the pause while a failure is possible, and the reading with the most forwarded objects is kept: the one between the end of
//! the evacuation and the clearing up.
//!
//! | object in that reading | |
//! |---|---|
//! | forwarded to another place | moved |
//! | forwarded to itself | stays |
//! | not forwarded | died, or in a region that was not to be evacuated |
//!
//! Old regions of G1 are read as well: one that was to be evacuated and failed has a forwarded object.

use crate::collection_report::MovesFault;
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::heap_spaces::{Space, SpaceKind};

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
}

impl FailureReading {
    /// A new collection begins.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
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
        let Ok(reading) = (unsafe { read(before, with_old, walk) }) else {
            return;
        };
        let forwarded = reading.iter().map(|one| one.found.survivors.len()).sum();
        if forwarded > self.forwarded {
            self.best = reading;
            self.forwarded = forwarded;
        }
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
        // SAFETY: passed on.
        unsafe { walk.space(space, &mut found) }?;
        readings.push(SpaceReading {
            space: *space,
            found,
        });
    }
    Ok(readings)
}
