//! How many collections have passed since an epoch, as far as uses are stated.

use ducktrack_heap_replay::LiveObject;
use ducktrack_trace_format::{Collection, CollectionKind, UsesHead};

/// More numbers than this are not missing, the trace is damaged.
const MOST_MISSING: usize = 1 << 24;

/// Collections that have collected something, and which uses are stated.
#[derive(Clone, Debug, Default)]
pub(crate) struct StalenessClock {
    /// By number: pauses in which something was collected, up to there.
    collected: Vec<u32>,
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
        let before = self.collected.last().copied().unwrap_or(0);
        let number = collection.number as usize;
        // Missing numbers cannot be distinguished from collections that collected.
        let missing = number.saturating_sub(self.collected.len().max(1));
        let many = u32::try_from(missing).unwrap_or(u32::MAX);
        if missing < MOST_MISSING {
            self.collected.resize(number, before.saturating_add(many));
        }
        let before = self.collected.last().copied().unwrap_or(0);
        // Several collections in one pause: the program did not run in between.
        let same =
            self.pause.replace(collection.start_unix_micros) == Some(collection.start_unix_micros);
        let goes_on = same && collection.number == self.all_until.saturating_add(1);
        if goes_on {
            self.all_until = collection.number;
        }
        let collects = collection.kind != CollectionKind::Cleanup;
        self.collected.push(before + u32::from(collects && !same));
        goes_on
    }

    /// How often collections have collected up to one.
    fn collected(&self, collection: u32) -> u32 {
        let known = self.collected.get(collection as usize);
        known.or(self.collected.last()).copied().unwrap_or(0)
    }

    /// The staleness, after a collection, of what was used last in an epoch.
    pub(crate) fn staleness(&self, used: u32, collection: u32) -> u32 {
        let used = used.max(self.since.unwrap_or(0));
        let between = self
            .collected(collection)
            .saturating_sub(self.collected(used));
        between.saturating_sub(1)
    }

    /// The staleness of a live object after a collection.
    pub(crate) fn of(&self, object: &LiveObject, collection: u32) -> u32 {
        self.staleness(object.used, collection)
    }
}
