//! The keys of `ducktrack info`.

use serde::{Deserialize, Serialize};

use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::QualityDoc;
use crate::json::AmountDoc;

/// The contents of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InfoReport {
    /// Always `ducktrack-info`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// Microseconds from the start of the run to the first event; null when not known.
    pub begin_micros: Option<u64>,
    /// Microseconds from the start of the run to the last.
    pub end_micros: Option<u64>,
    /// Allocation events.
    pub events: u64,
    /// Events of objects that reached the heap.
    pub allocated: AmountDoc,
    /// Events of objects that the JIT eliminated.
    pub eliminated: u64,
    /// Bytes per event before compression; null without events.
    pub bytes_per_event: Option<f64>,
    /// Bytes per survivor of a collection before compression; null without survivors.
    pub bytes_per_move: Option<f64>,
    /// The savings of compression.
    pub compression: CompressionDoc,
    /// Collections.
    pub collections: CollectionsDoc,
    /// How much is known of the live objects after rotations.
    pub quality: QualitiesDoc,
    /// Events that the agent had to drop.
    pub dropped: u64,
    /// The data that the agent could not write.
    pub lost: LostDoc,
    /// Stretches that the VM or JNI allocated between events.
    pub gaps: AmountDoc,
    /// Objects whose address is not known.
    pub unplaced: u64,
    /// Events whose size is not known.
    pub size_unknown: u64,
    /// The events in the memory of a killed JVM that are in no file; left out where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovered: Option<RecoveredDoc>,
    /// Records of a complete trace; left out where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<CompleteDoc>,
    /// Events that do not decode.
    pub malformed: u64,
    /// Events that came in a buffer after the collection they were made before.
    pub stragglers: u64,
    /// Events with less room than their object needs: it was eliminated, and what moved the top is a gap.
    pub contradictions: u64,
    /// Blocks of events: buffers of threads.
    pub buffers: u64,
    /// All blocks.
    pub blocks: u64,
    /// How many classes have field layouts.
    pub layouts: LayoutsDoc,
    /// The event files at hand.
    pub files: Vec<EventFileDoc>,
}

/// The contents of a trace of `mode=full` besides allocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CompleteDoc {
    /// Updates of references.
    pub updates: u64,
    /// Entries and ends of methods.
    pub calls: u64,
}

/// Events of a killed JVM that were found beside its event files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveredDoc {
    /// Threads' buffers, or pieces of them.
    pub buffers: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Collections that had happened and whose moves are lost.
    pub lost_collections: u64,
    /// Collections that had happened, and of which the survivors were kept.
    #[serde(default)]
    pub kept_collections: u64,
    /// Threads whose last events are lost: their buffers were in private memory.
    pub private_threads: u64,
    /// The JVM runs: what its threads have in their buffers is not in the files yet, and not in this report.
    pub is_running: bool,
}

/// Where objects have their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LayoutsDoc {
    /// Classes of objects that are not arrays.
    pub classes: u64,
    /// Of these, classes of which every field of an object is known, with its offset.
    pub known: u64,
}

/// Blocks that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LostDoc {
    /// How many.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Sizes of the contents of event files.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompressionDoc {
    /// All contents before compression.
    pub plain_bytes: u64,
    /// As stored.
    pub stored_bytes: u64,
    /// `storedBytes` of `plainBytes`; null without contents.
    pub percent: Option<f64>,
    /// Of `plainBytes`: events.
    pub event_bytes: u64,
    /// Of `plainBytes`: moves.
    pub move_bytes: u64,
    /// Of `plainBytes`: synchronization points.
    pub sync_bytes: u64,
}

/// The collections of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionsDoc {
    /// How many.
    pub count: u64,
    /// Number of the first at hand.
    pub first: Option<u32>,
    /// Number of the last.
    pub last: Option<u32>,
    /// Objects that survived one, summed over all.
    pub survivors: u64,
    /// Of these, objects that changed place.
    pub moved: u64,
    /// Objects first seen by a collection: made by the VM or JNI, or before the agent was ready.
    pub found: u64,
    /// Survivors that could not be told apart: they have no site.
    #[serde(default)]
    pub ambiguous: u64,
    /// Survivors that nothing explains; 0 in a sound trace.
    pub unexplained: u64,
    /// Survivors that lie where another does; 0 in a sound trace.
    pub conflicts: u64,
}

/// How much is known after rotations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QualitiesDoc {
    /// The lowest share of live objects with a known site right after a rotation; null: nothing was rotated.
    pub percent: Option<f64>,
    /// Every file that starts with a synchronization point.
    pub rotations: Vec<RotationDoc>,
}

/// A file that starts with a synchronization point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationDoc {
    /// Index number of the file.
    pub file: u64,
    /// The collection at which it starts.
    pub collection: u32,
    /// Objects of the synchronization point.
    pub objects: u64,
    /// Objects in which it and the heap rebuilt from the files before differ; null: nothing was there to compare.
    pub differences: Option<u64>,
    /// Right after it, and after each of the collections that follow.
    pub quality: Vec<QualityDoc>,
}

/// One file of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventFileDoc {
    /// Its name.
    pub name: String,
    /// Its index number.
    pub index: u64,
    /// Its size.
    pub bytes: u64,
    /// Intact blocks.
    pub blocks: u64,
    /// Collections recorded in it.
    pub collections: u64,
}
