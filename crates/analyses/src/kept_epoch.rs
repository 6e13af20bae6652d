//! The end of an epoch whose collection was not written before the JVM was killed, but kept by the agent.
//!
//! The writer of a trace looks which survivors events explain, and states the class of the others. Of a kept collection there are the survivors alone, each with its class;
//! so the same is done here: what is at no survivor's new address once the collection is applied has no event.

use ducktrack_trace_format::{
    CollectionCounts, HeapClassId, KeptCollection, KeptSurvivor, MoveRun,
};

use crate::HeapReplay;
use crate::collection_step::CollectionStep;
use ducktrack_heap_replay::{EpochPart, EpochView};
use ducktrack_live_heap::merged;

impl HeapReplay {
    /// As [`HeapReplay::end_epoch`], for a collection that the agent had kept.
    pub fn end_kept_epoch(
        &mut self,
        kept: &KeptCollection,
        decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart]),
    ) -> bool {
        let survivors = of_collected_ranges(kept);
        let runs: Vec<MoveRun> = survivors.iter().map(|survivor| run(survivor)).collect();
        let classes: Vec<HeapClassId> = survivors.iter().map(|survivor| survivor.class).collect();
        let moved = survivors
            .iter()
            .filter(|survivor| survivor.from != survivor.to);
        let moved = moved.count() as u64;
        let mut collection = kept.collection.clone();
        collection.counts = CollectionCounts {
            moved,
            stayed: survivors.len() as u64 - moved,
            ..kept.collection.counts
        };
        if overlap(&survivors) {
            collection.fault = Some("survivors of the collection overlap".to_owned());
        }
        self.end_epoch_of(&collection, runs, Some(&classes), true, decode)
    }
}

impl CollectionStep<'_> {
    /// Adds the survivors that are no object of the heap yet, once it is in order; `classes` are those of the runs.
    pub(crate) fn add_unexplained(&mut self, runs: &[MoveRun], classes: &[HeapClassId]) {
        let of_class = runs.iter().zip(classes);
        let unknown = of_class.filter(|(run, _)| self.heap.at_mut(run.to).is_none());
        let unknown: Vec<MoveRun> = unknown
            .map(|(run, class)| MoveRun {
                found: Some(*class),
                ..*run
            })
            .collect();
        self.add_found(&unknown);
        self.settle();
    }
}

/// If the copy has all live objects, those of other ranges are left out: they did not move.
fn of_collected_ranges(kept: &KeptCollection) -> Vec<&KeptSurvivor> {
    let collected = merged(&kept.collection.collected);
    let is_collected = |survivor: &&KeptSurvivor| {
        let after = collected.partition_point(|range| range.end <= survivor.from);
        let range = collected.get(after);
        range.is_some_and(|range| range.start <= survivor.from)
    };
    kept.survivors.iter().filter(is_collected).collect()
}

fn overlap(survivors: &[&KeptSurvivor]) -> bool {
    let ends_after = |pair: &[&KeptSurvivor]| matches!(pair, [a, b] if a.from.saturating_add(a.bytes()) > b.from);
    survivors.windows(2).any(ends_after)
}

fn run(survivor: &KeptSurvivor) -> MoveRun {
    MoveRun {
        from: survivor.from,
        to: survivor.to,
        bytes: survivor.bytes(),
        objects: 1,
        found: None,
    }
}
