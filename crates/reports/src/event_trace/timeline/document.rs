//! The keys of `ducktrack timeline`. All times are microseconds since the start of the run.

use ducktrack_analyses::CollectionKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event_trace::head::TraceHead;
use crate::event_trace::place::PlaceDoc;
use crate::json::AmountDoc;

/// The run as a sequence of collections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineReport {
    /// Always `ducktrack-timeline`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// When the first buffer was begun; null when not known.
    pub begin_micros: Option<u64>,
    /// When the last buffer was handed over or the last collection ended; null when not known.
    pub end_micros: Option<u64>,
    /// Sums over the whole trace.
    pub totals: TimelineTotalsDoc,
    /// Allocated after the last collection.
    pub allocated_after: AmountDoc,
    /// Moments of the layers: after collections, evenly spread in long runs.
    pub moments: Vec<MomentDoc>,
    /// The types with the highest peaks in bytes, after the filter.
    pub types: Vec<TypeLayerDoc>,
    /// All other types.
    pub other_types: LayerDoc,
    /// The sites with the highest peaks in bytes, after the filter.
    pub sites: Vec<SiteLayerDoc>,
    /// Objects without an event; null when they are among the others.
    pub unattributed: Option<LayerDoc>,
    /// All other sites.
    pub other_sites: LayerDoc,
    /// Every collection.
    pub collections: Vec<CollectionDoc>,
}

/// Sums over all collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineTotalsDoc {
    /// How many.
    pub collections: u64,
    /// All pauses.
    pub pause_micros: u64,
    /// The longest pause.
    pub longest_pause_micros: u64,
    /// Of the pauses: what the agent took to find moves and deaths.
    pub walk_micros: u64,
    /// Allocated at sites, also after the last collection.
    pub allocated: AmountDoc,
    /// Allocated by the VM or JNI between events.
    pub gap_bytes: u64,
    /// Objects that are known to have died.
    pub died: AmountDoc,
    /// Promoted to an old space.
    pub promoted: AmountDoc,
    /// Collections whose moves are not known.
    pub faults: u64,
}

/// A moment at which the layers are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MomentDoc {
    /// The collection before it.
    pub collection: u32,
    /// When it ended.
    pub micros: u64,
}

/// One layer of the heap: live objects and bytes at every moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerDoc {
    /// Objects.
    pub counts: Vec<u64>,
    /// Bytes.
    pub sizes: Vec<u64>,
}

/// The layer of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypeLayerDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its objects.
    #[serde(flatten)]
    pub layer: LayerDoc,
}

/// The layer of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteLayerDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// Its objects.
    #[serde(flatten)]
    pub layer: LayerDoc,
}

/// One collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionDoc {
    /// Its number.
    pub number: u32,
    /// `young`, `mixed`, `full`, `cleanup`, `old` (ZGC's old generation)
    #[schemars(with = "String")]
    pub kind: CollectionKind,
    /// The VM's words for why.
    pub cause: String,
    /// When it began.
    pub start_micros: u64,
    /// How long the program stood still.
    pub pause_micros: u64,
    /// Of that, what the agent took.
    pub walk_micros: u64,
    /// Allocated at sites since the collection before.
    pub allocated: AmountDoc,
    /// Allocated by the VM or JNI in that time.
    pub gap_bytes: u64,
    /// How long that time was; 0 when not known.
    pub mutator_micros: u64,
    /// Allocated bytes per second in that time; null when the time is not known.
    pub bytes_per_second: Option<f64>,
    /// Objects that changed place; null here and below: not known.
    pub moved: Option<AmountDoc>,
    /// Objects in collected memory that stayed.
    pub stayed: Option<AmountDoc>,
    /// Objects that died.
    pub died: Option<AmountDoc>,
    /// Of these, objects that had been promoted.
    pub died_promoted: Option<AmountDoc>,
    /// Objects that were promoted.
    pub promoted: Option<AmountDoc>,
    /// The live heap afterwards.
    pub live: Option<AmountDoc>,
    /// Spaces before, by kind.
    pub before: Vec<SpaceUseDoc>,
    /// Spaces after, by kind.
    pub after: Vec<SpaceUseDoc>,
    /// Why moves are not known for this collection.
    pub fault: Option<String>,
}

/// All spaces of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpaceUseDoc {
    /// `eden`, `survivor`, `old`, `humongous`, ...
    pub kind: String,
    /// How many (G1: regions).
    pub areas: u64,
    /// Bytes from their bottoms to their tops.
    pub used: u64,
}
