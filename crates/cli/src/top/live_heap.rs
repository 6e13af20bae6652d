//! Collections of a traced program while it runs: the objects that each left alive, and the length of its pause.

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::heap_follower::LiveAfter;
use anyhow::{Context, Result};
use ducktrack_reports::{LiveCollectionDoc, LiveHeapDoc};
use ducktrack_trace_reader::{Collection, CollectionKind, CollectionTail, MovesLevel};

/// See the module.
pub(crate) struct LiveHeap {
    tail: CollectionTail,
    last: Option<Known>,
    /// The last that looked at all of the old space.
    last_full: Option<Known>,
    looked_at: Instant,
    pauses: Pauses,
}

/// The shown figures of a collection.
#[derive(Clone, Debug)]
struct Known {
    number: u32,
    kind: &'static str,
    cause: String,
    pause_micros: u64,
    end_unix_micros: u64,
    /// Objects and bytes; `None`: not known, or a reader of all events has to find out.
    live: Option<(u64, u64)>,
    used_bytes: u64,
}

/// Between the two last looks.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    collections: usize,
    micros: u64,
    seconds: f64,
}

impl LiveHeap {
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            tail: CollectionTail::new(directory),
            last: None,
            last_full: None,
            looked_at: Instant::now(),
            pauses: Pauses::default(),
        }
    }

    /// Takes the collections since the look before.
    pub(crate) fn look(&mut self, now: Instant) -> Result<()> {
        let new = self.tail.look().context("the event files")?;
        self.pauses = Pauses {
            collections: new.len(),
            micros: new.iter().map(pause_micros).sum(),
            seconds: (now - self.looked_at).as_secs_f64(),
        };
        self.looked_at = now;
        for collection in &new {
            let known = Known::of(collection);
            if collection.kind == CollectionKind::Full {
                self.last_full = Some(known.clone());
            }
            self.last = Some(known);
        }
        Ok(())
    }

    /// `None` before the first collection.
    pub(crate) fn document(&self, live: &LiveAfter) -> Option<LiveHeapDoc> {
        let pauses = self.pauses;
        let per_second = |amount: f64| match pauses.seconds > 0.0 {
            true => amount / pauses.seconds,
            false => 0.0,
        };
        Some(LiveHeapDoc {
            last: self.last.as_ref()?.document(live),
            last_full: self.last_full.as_ref().map(|full| full.document(live)),
            collections_per_second: per_second(pauses.collections as f64),
            rows_of_collection: None,
            pause_share: per_second(pauses.micros as f64 / 1e6).min(1.0),
        })
    }
}

impl Known {
    fn of(collection: &Collection) -> Self {
        let is_known = collection.fault.is_none() && collection.level != MovesLevel::Off;
        let counts = collection.counts;
        let used = collection.after.iter();
        Self {
            number: collection.number,
            kind: collection.kind.name(),
            cause: collection.cause.clone(),
            pause_micros: pause_micros(collection),
            end_unix_micros: collection.end_unix_micros,
            live: (is_known && counts.live > 0).then_some((counts.live, counts.live_bytes)),
            used_bytes: used
                .map(|space| space.top.saturating_sub(space.bottom))
                .sum(),
        }
    }

    fn document(&self, followed: &LiveAfter) -> LiveCollectionDoc {
        let live = self.live.or_else(|| followed.collection(self.number));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| u64::try_from(now.as_micros()).unwrap_or(u64::MAX));
        LiveCollectionDoc {
            number: self.number,
            kind: self.kind,
            cause: self.cause.clone(),
            pause_millis: self.pause_micros as f64 / 1e3,
            seconds_ago: now.saturating_sub(self.end_unix_micros) as f64 / 1e6,
            live_objects: live.map(|(objects, _)| objects),
            live_bytes: live.map(|(_, bytes)| bytes),
            used_bytes: self.used_bytes,
        }
    }
}

fn pause_micros(collection: &Collection) -> u64 {
    let end = collection.end_unix_micros;
    end.saturating_sub(collection.start_unix_micros)
}
