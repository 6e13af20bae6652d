//! Contents of a trace: events, sizes, rotations, and how much is known of the objects.

use crate::{CollectionNumber, EventSums};
use ducktrack_count_model::FileDamage;

/// Findings of a killed process beside its event files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveredRow {
    /// Buffers of threads, or pieces of them.
    pub buffers: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Collections that had happened and whose moves are lost.
    pub lost_collections: u64,
    /// Collections that had happened and were not written, but kept.
    pub kept_collections: u64,
    /// Threads whose last events are lost.
    pub private_threads: u64,
    /// The process runs, and has events that are in no file yet.
    pub is_running: bool,
}

/// The outline of the event files of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceInfo {
    /// The event files at hand, in order.
    pub files: Vec<EventFileRow>,
    /// Events, over all epochs.
    pub sums: EventSums,
    /// Events that were in the memory of a killed process and in no file.
    pub recovered: RecoveredRow,
    /// All blocks.
    pub blocks: u64,
    /// Bytes of event blocks before compression.
    pub event_bytes: u64,
    /// Survivors that collections recorded.
    pub survivors: u64,
    /// Survivors of these that changed place.
    pub moved: u64,
    /// Objects first seen by a collection: made by the VM or JNI, or before the agent was ready.
    pub found: u64,
    /// Bytes of moves before compression.
    pub move_bytes: u64,
    /// Objects and bytes (before compression) of synchronization points.
    pub sync_objects: u64,
    /// Bytes of synchronization points before compression.
    pub sync_bytes: u64,
    /// All block contents before compression.
    pub plain_bytes: u64,
    /// The same as stored.
    pub stored_bytes: u64,
    /// Collections recorded.
    pub collections: u64,
    /// Number of the first collection at hand.
    pub first_collection: Option<CollectionNumber>,
    /// Number of the last.
    pub last_collection: Option<CollectionNumber>,
    /// `exact`, `finish`, `off`: the lowest level of any collection. Empty when there was none.
    pub level: String,
    /// Survivors that could not be distinguished: they have no origin, or one of several possible origins.
    pub ambiguous: u64,
    /// Whether the heap is known at the end.
    pub knowledge: HeapKnowledge,
    /// Stretches in which it was not, although it was before and afterwards.
    pub knowledge_gaps: Vec<KnowledgeGap>,
    /// Stretches in which it is known: one, unless it was lost on the way.
    pub known_stretches: Vec<KnownStretch>,
    /// Files that start with a synchronization point, and the quality there and at the following collections.
    pub rotations: Vec<Rotation>,
    /// Contradictions between events and moves: claimed survivors that nothing explains. 0 in a sound trace.
    pub unexplained_survivors: u64,
    /// Survivors that lie where another does. 0 in a sound trace.
    pub conflicts: u64,
    /// Blocks that the agent could not write.
    pub lost_blocks: u64,
    /// Their bytes.
    pub lost_bytes: u64,
    /// When the first buffer was begun, microseconds since 1970. 0: not known.
    pub start_micros: u64,
    /// When the last buffer was handed over or the last collection ended. 0: not known.
    pub end_micros: u64,
    /// Faults that the reader found in event files.
    pub damage: Vec<FileDamage>,
}

impl TraceInfo {
    /// Bytes per event before compression. `None`: there are no events.
    pub fn bytes_per_event(&self) -> Option<f64> {
        let records = self.sums.updates.saturating_add(self.sums.calls);
        let events = self.sums.events.saturating_add(records);
        (events > 0).then(|| self.event_bytes as f64 / events as f64)
    }

    /// Bytes per recorded survivor before compression.
    pub fn bytes_per_move(&self) -> Option<f64> {
        (self.survivors > 0).then(|| self.move_bytes as f64 / self.survivors as f64)
    }

    /// Stored size as a share of the plain size.
    pub fn compression(&self) -> Option<f64> {
        (self.plain_bytes > 0).then(|| self.stored_bytes as f64 / self.plain_bytes as f64)
    }

    /// The lowest quality right after any synchronization point. `None`: no file starts with one.
    pub fn quality(&self) -> Option<f64> {
        let qualities = self
            .rotations
            .iter()
            .flat_map(|rotation| rotation.quality.first());
        qualities.map(|quality| quality.share()).reduce(f64::min)
    }
}

/// One file of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFileRow {
    /// Its name, `events-00000003.trace`.
    pub name: String,
    /// Its index number.
    pub index: u64,
    /// Bytes in the file system.
    pub bytes: u64,
    /// Intact blocks.
    pub blocks: u64,
    /// Collections recorded in it.
    pub collections: u64,
}

/// Whether the live heap is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HeapKnowledge {
    /// There was no collection yet: everything allocated may be there.
    #[default]
    NoCollection,
    /// Moves and deaths of every collection at hand are known.
    Known,
    /// Not from the beginning: the trace has no moves (collector, `moves=off`).
    Never {
        /// Why, as one sentence.
        reason: String,
    },
    /// Lost on the way.
    Lost {
        /// The first collection whose moves are not known.
        since: CollectionNumber,
        /// Why, as one sentence.
        reason: String,
    },
}

/// Collections in a row after which the live heap is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownStretch {
    /// The first of them; 0: the start of the run. Its moves and deaths are not known, but the heap after it is.
    pub since: CollectionNumber,
    /// The last of them.
    pub until: CollectionNumber,
}

impl KnownStretch {
    /// Collections of which everything is known: what they found dead, and what they moved.
    pub fn collections(self) -> u64 {
        u64::from(self.until.0.saturating_sub(self.since.0))
    }
}

/// A stretch of collections after which the live heap is not known, between others where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeGap {
    /// The first collection whose moves are not known.
    pub since: CollectionNumber,
    /// The collection after which the heap is known again.
    pub until: CollectionNumber,
    /// Why, as one sentence.
    pub reason: String,
}

/// A file that starts with a synchronization point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Index number of the file.
    pub file: u64,
    /// The collection at which it starts.
    pub collection: u32,
    /// Objects of the synchronization point.
    pub objects: u64,
    /// Objects in which the synchronization point and the heap rebuilt from the files
    /// before differ. `None`: nothing was there to compare. 0 in a sound trace.
    pub differences: Option<u64>,
    /// Quality right after the synchronization point, then after each of the following nine collections.
    pub quality: Vec<Quality>,
}

/// Information quality as the paper defines it: the share of live objects about which everything is known.
///
/// An object counts as known when its allocation site is; its type, size, thread and birth come with the site. Objects that never had
/// a site (made by the VM or JNI, or before the agent was ready) count as not known: this is a lower bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// The collection after which it was taken.
    pub collection: u32,
    /// Live objects.
    pub objects: u64,
    /// Live objects whose site is known.
    pub with_site: u64,
}

impl Quality {
    /// From 0 to 1; 1 when there are no objects.
    pub fn share(self) -> f64 {
        match self.objects {
            0 => 1.0,
            objects => self.with_site as f64 / objects as f64,
        }
    }
}
