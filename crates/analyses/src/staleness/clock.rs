//! How many collections have passed since an epoch, as far as uses are stated.

use ducktrack_heap_replay::{EpochSums, LiveObject};
use ducktrack_trace_format::{Collection, CollectionKind, UsesHead};

/// Collections that have collected something, and which uses are stated.
#[derive(Clone, Debug, Default)]
pub(crate) struct StalenessClock {
    /// By number of the collection: pauses in which something was collected.
    collected: EpochSums,
    /// The last collection.
    last: u32,
    /// When the last pause began.
    pause: Option<u64>,
    /// The first epoch whose uses are stated. `None`: the trace states none.
    pub(crate) since: Option<u32>,
    /// The last collection before which every object was looked at.
    pub(crate) all_until: u32,
}

impl StalenessClock {
    /// Uses are stated before the collection that ends their epoch.
    pub(crate) fn uses(&mut self, head: UsesHead) {
        self.since.get_or_insert(head.epoch);
        if head.all {
            self.all_until = head.epoch.saturating_add(1);
        }
    }

    /// A collection was applied. True: it belongs to the pause of the one before, which looked at every object.
    pub(crate) fn note(&mut self, collection: &Collection) -> bool {
        // Several collections in one pause: the program did not run in between.
        let same =
            self.pause.replace(collection.start_unix_micros) == Some(collection.start_unix_micros);
        let goes_on = same && collection.number == self.all_until.saturating_add(1);
        if goes_on {
            self.all_until = collection.number;
        }
        let collects = collection.kind != CollectionKind::Cleanup;
        // Missing numbers cannot be distinguished from collections that collected.
        let number = collection.number;
        let missing = number.saturating_sub(self.last).saturating_sub(1);
        let counts = u64::from(collects && !same);
        self.collected.add(number, counts, missing.into());
        self.last = number;
        goes_on
    }

    /// The staleness, after a collection, of what was used last in an epoch.
    pub(crate) fn staleness(&self, used: u32, collection: u32) -> u32 {
        let used = used.max(self.since.unwrap_or(0));
        let (until, since) = (self.collected.until(collection), self.collected.until(used));
        let between = until.saturating_sub(since);
        u32::try_from(between.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The staleness of a live object after a collection.
    pub(crate) fn of(&self, object: &LiveObject, collection: u32) -> u32 {
        self.staleness(object.used, collection)
    }

    /// How old a live object was when it was used last.
    pub(crate) fn age_at_use(&self, object: &LiveObject) -> u32 {
        let born = self.collected.until(object.birth);
        let used = self.collected.until(object.used.max(object.birth));
        u32::try_from(used.saturating_sub(born)).unwrap_or(u32::MAX)
    }
}
