//! A young or mixed collection whose evacuation failed in part: read at looks from inside the pause, reported when it is over.

use std::time::Instant;

use super::{Known, Pause, nanos_since, ranges};
use crate::collected_spaces::CollectedSpaces;
use crate::collection_report::CollectionKind;
use crate::collector::Collector;
use crate::error::Error;
use crate::evacuation_failure::SpaceReading;
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::heap_spaces::Space;

impl Pause {
    /// Reads the young spaces while their evacuation may fail.
    pub(super) fn look_at_evacuation(&mut self) -> Result<(), Error> {
        let is_going_on = self.full.is_some() && self.counts()?.all != self.counts_before.all;
        let failure = &self.failure;
        if is_going_on && failure.is_possible(&self.spaces, &self.before, &self.latest)? {
            let started = Instant::now();
            let room = [self.whole_heap()];
            let mut walk = EvacuationWalk::new(&self.classes, &self.sizes, &room);
            let with_old = self.collector == Collector::G1;
            // SAFETY: looks happen on the VM thread, inside the pause; nothing is given back to the system before its end.
            unsafe { self.failure.look(&self.before, with_old, &mut walk) };
            self.walk_nanos += nanos_since(started);
        }
        Ok(())
    }
}

/// A collection whose evacuation failed in part, by the reading from inside the pause.
pub(super) fn failed_evacuation(
    mut reading: Vec<SpaceReading>,
    collected: &CollectedSpaces,
) -> Known {
    let is_freed = |space: &Space| {
        let mut evacuated = collected.evacuated.iter();
        evacuated.any(|evacuated| evacuated.bottom == space.bottom)
    };
    reading.retain(|one| {
        one.space.kind.is_young() || !one.found.survivors.is_empty() || is_freed(&one.space)
    });
    reading.sort_unstable_by_key(|one| one.space.bottom);
    let is_mixed = reading.iter().any(|one| !one.space.kind.is_young());
    let spaces: Vec<Space> = reading.iter().map(|one| one.space).collect();
    let humongous = collected.humongous.len() as u64;
    let mut all = Evacuated {
        survivors: Vec::new(),
        dead: humongous,
        walked: humongous,
        largest: 0,
    };
    for mut one in reading {
        all.survivors.append(&mut one.found.survivors);
        all.dead += one.found.dead;
        all.walked += one.found.walked;
    }
    let kind = if is_mixed {
        CollectionKind::Mixed
    } else {
        CollectionKind::Young
    };
    (kind, all, ranges(spaces.iter().chain(&collected.humongous)))
}
