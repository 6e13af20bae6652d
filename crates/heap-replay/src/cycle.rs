//! Effects of a collection: the input of the engine beside events.
//!
//! An epoch is not a pause: it is the time between two cuts of the threads' buffers, and a cycle is applied to the
//! heap at the cut at which it ends. Today each pause is both. A collector that relocates while the program runs has
//! cycles of a generation, each with the cut at which its marking began: the reader hands them to the engine in the
//! order in which relocation began, and what was born after that cut is not judged, as it is not by G1's Remark.

use std::borrow::Cow;

use ducktrack_live_heap::{FateMap, check_collection, check_survivors, merged};
use ducktrack_trace_format::{
    Collection, CollectionCounts, HeapClassId, KeptCollection, MoveRun, Survivor,
};

/// A collection and its moves.
#[derive(Debug)]
pub struct Cycle<'a> {
    pub(crate) collection: Cow<'a, Collection>,
    pub(crate) runs: Vec<MoveRun>,
    /// Of each run, if it is one survivor of which it is not known whether an event explains it.
    pub(crate) classes: Option<Vec<HeapClassId>>,
    complete: bool,
}

impl<'a> Cycle<'a> {
    /// A collection as its writer recorded it; `complete` if all of its moves are there.
    pub fn recorded(collection: &'a Collection, runs: Vec<MoveRun>, complete: bool) -> Self {
        Self {
            collection: Cow::Borrowed(collection),
            runs,
            classes: None,
            complete,
        }
    }

    /// A collection that was not written before the JVM was killed, but kept by the agent.
    ///
    /// The writer of a trace looks which survivors events explain, and states the class of the others.
    /// Of a kept collection there are the survivors alone, each with its class; so the engine does the
    /// same: what is at no survivor's new address once the collection is applied has no event.
    pub fn kept(kept: &KeptCollection) -> Self {
        let survivors = of_collected_ranges(kept);
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
        if let Err(fault) = check_survivors(survivors.iter().copied()) {
            collection.fault = Some(fault.to_owned());
        }
        Self {
            collection: Cow::Owned(collection),
            runs: survivors.iter().map(|survivor| run(survivor)).collect(),
            classes: Some(survivors.iter().map(|survivor| survivor.class).collect()),
            complete: true,
        }
    }

    /// Whether the cycle can be applied to a heap after `epoch` collections,
    /// if its runs have this many `objects`; else why not, as a sentence.
    pub(crate) fn check(&self, epoch: u32, objects: u64) -> Result<(), String> {
        check_collection(&self.collection, epoch, objects, self.complete)
    }

    /// The fate of each address.
    pub(crate) fn fates(&self) -> FateMap {
        FateMap::new(&merged(&self.collection.collected), &self.runs)
    }

    /// The survivors of the epoch take the room of the runs that are not needed any more.
    pub(crate) fn drop_explained_runs(&mut self) {
        if self.classes.is_none() {
            self.runs.retain(|run| run.found.is_some());
            self.runs.shrink_to_fit();
        }
    }
}

/// If the copy has all live objects, those of other ranges are left out: they did not move.
fn of_collected_ranges(kept: &KeptCollection) -> Vec<&Survivor> {
    let collected = merged(&kept.collection.collected);
    let is_collected = |survivor: &&Survivor| {
        let after = collected.partition_point(|range| range.end <= survivor.from);
        let range = collected.get(after);
        range.is_some_and(|range| range.start <= survivor.from)
    };
    kept.survivors.iter().filter(is_collected).collect()
}

fn run(survivor: &Survivor) -> MoveRun {
    MoveRun {
        from: survivor.from,
        to: survivor.to,
        bytes: survivor.bytes(),
        objects: 1,
        found: None,
    }
}
