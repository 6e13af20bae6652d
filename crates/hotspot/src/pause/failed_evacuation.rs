//! Young or mixed collections whose evacuation failed in part: read at looks inside the pause, reported when it is over.

use std::time::Instant;

use super::{KnownCollection, Pause, nanos_since, ranges};
use crate::address::Address;
use crate::collection::collected_spaces::CollectedSpaces;
use crate::collection::evacuation::evacuation_failure::{SpaceReading, settle_kept};
use crate::collection::evacuation::evacuation_walk::EvacuationWalk;
use crate::collection::evacuation::new_places::NewPlaces;
use crate::collection::report::{CollectionKind, MovesFault};
use crate::error::Error;
use crate::heap::space::Space;
use crate::vm::collector::Collector;

/// No reading showed a region that was kept.
pub(super) const END_MISSED: MovesFault = MovesFault::PhaseMissed {
    phase: "the end of a failed evacuation",
};

impl Pause {
    /// Reads the spaces whose evacuation may fail.
    pub(super) fn look_at_evacuation(&mut self) -> Result<(), Error> {
        if self.full.has_begun() || self.counts()?.all == self.counts_before.all {
            return Ok(());
        }
        let suspects = self
            .failure
            .suspects(&self.spaces, &self.before, &self.latest)?;
        if !suspects.is_empty() {
            let started = Instant::now();
            let room = [self.spaces.reserved_range()];
            let (classes, sizes) = (&self.classes, &self.sizes);
            let new_walk = || EvacuationWalk::new(classes, sizes, &room);
            let needs_largest = self.collector != Collector::G1;
            // SAFETY: looks happen on the VM thread, inside the pause; no memory is uncommitted before its end.
            unsafe {
                self.failure
                    .read(suspects, needs_largest, &self.pool, new_walk);
            }
            self.walk_nanos += nanos_since(started);
        }
        self.failure.note_look();
        Ok(())
    }

    /// Builds the result of a collection whose evacuation failed in part, from readings inside the pause. Evacuated spaces without a
    /// reading are read now.
    pub(super) fn failed_evacuation(
        &self,
        mut readings: Vec<SpaceReading>,
        collected: &CollectedSpaces,
        after: &[Space],
    ) -> Result<KnownCollection, MovesFault> {
        let freed = bottoms(collected.evacuated.iter());
        let is_freed = |space: &Space| freed.binary_search(&space.bottom).is_ok();
        readings.retain(|one| {
            one.space.kind.is_young() || !one.found.survivors.is_empty() || is_freed(&one.space)
        });
        let read = bottoms(readings.iter().map(|one| &one.space));
        let is_read = |space: &Space| read.binary_search(&space.bottom).is_ok();
        if !collected.kept.iter().all(is_read) {
            return Err(END_MISSED);
        }
        let unread = collected.evacuated.iter().filter(|space| !is_read(space));
        let unread: Vec<Space> = unread.copied().collect();
        let mut all = self.walk_old_copies(&unread, after)?;
        // If a full collection follows, it has marked the objects by now.
        if !self.phase.is_inside() && self.collector == Collector::G1 {
            for kept in readings.iter_mut().filter(|one| !is_freed(&one.space)) {
                // SAFETY: the world is stopped, and memory below the tops is committed.
                unsafe { settle_kept(kept, &self.classes, &self.sizes) }?;
            }
        }
        let mut spaces = unread;
        for mut one in readings {
            spaces.push(one.space);
            all.survivors.append(&mut one.found.survivors);
            all.dead += one.found.dead;
            all.walked += one.found.walked;
        }
        // Stable, because it merges the spaces, each of which is already sorted.
        all.survivors.sort_by_key(|survivor| survivor.from);
        all.add_dead(collected.humongous.len());
        if !self.phase.is_inside() {
            let places = NewPlaces::of(&self.before, after);
            self.check_coverage(&all.survivors, &places)?;
        }
        let kind = match spaces.iter().all(|space| space.kind.is_young()) {
            true => CollectionKind::Young,
            false => CollectionKind::Mixed,
        };
        Ok(KnownCollection {
            kind,
            found: all,
            collected: ranges(spaces.iter().chain(&collected.humongous)),
            dead_records: None,
        })
    }
}

/// The start addresses of the spaces, ascending.
fn bottoms<'a>(spaces: impl Iterator<Item = &'a Space>) -> Vec<Address> {
    let mut bottoms: Vec<Address> = spaces.map(|space| space.bottom).collect();
    bottoms.sort_unstable();
    bottoms
}
