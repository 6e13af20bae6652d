//! Collections, allocation rate and the composition of the heap over time.

pub(crate) mod analysis;
pub(crate) mod heap_samples;
pub(crate) mod live_parts;
pub(crate) mod points;

use std::sync::Arc;

use ducktrack_count_model::{Origin, SiteColumn, TypeColumn, TypeNames};
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{CollectionKind, SpaceKind};

/// The run as a sequence of collections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// One per collection, in order.
    pub points: Vec<TimelinePoint>,
    /// Allocated after the last collection.
    pub allocated_after: Amount,
    /// When the first buffer was begun, microseconds since 1970. 0: not known.
    pub start_micros: u64,
    /// When the last buffer was handed over or the last collection ended. 0: not known.
    pub end_micros: u64,
    /// The names of the types in [`CompositionPoint`].
    pub type_names: TypeNames,
    /// The parts of the heap after collections; at most [`Timeline::MOST_POINTS`], evenly spread. Empty when the heap is not known.
    pub composition: Vec<CompositionPoint>,
}

impl Timeline {
    /// The most points of a composition; longer runs are thinned out.
    pub const MOST_POINTS: usize = 512;
}

/// One collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelinePoint {
    /// Its number.
    pub collection: u32,
    /// The VM's words for why, `G1 Evacuation Pause`.
    pub cause: Arc<str>,
    /// The part of the heap that it collected.
    pub kind: CollectionKind,
    /// When it began, microseconds since 1970.
    pub start_micros: u64,
    /// When it ended.
    pub end_micros: u64,
    /// Time the agent took inside the pause to find moves and deaths; part of the pause.
    pub walk_nanos: u64,
    /// Allocated on the heap since the collection before (or the start of the files at hand), at sites.
    pub allocated: Amount,
    /// Bytes the VM or JNI allocated in threads' buffers in that time, without a site.
    pub gap_bytes: u64,
    /// Time since the end of the collection before; 0 when not known.
    pub mutator_micros: u64,
    /// Objects that changed place. `None` here and below: not known for this collection.
    pub moved: Option<Amount>,
    /// Objects in collected memory that stayed where they were.
    pub stayed: Option<Amount>,
    /// Objects that died.
    pub died: Option<Amount>,
    /// Objects of `died` that had been promoted.
    pub died_promoted: Option<Amount>,
    /// Objects that were promoted.
    pub promoted: Option<Amount>,
    /// The live heap afterwards.
    pub live: Option<Amount>,
    /// Spaces before, by kind.
    pub before: Vec<SpaceUse>,
    /// Spaces after, by kind.
    pub after: Vec<SpaceUse>,
    /// Why moves are not known for this collection.
    pub fault: Option<Arc<str>>,
}

impl TimelinePoint {
    /// Length of the pause, with the agent's walk.
    pub fn pause_micros(&self) -> u64 {
        self.end_micros.saturating_sub(self.start_micros)
    }

    /// Bytes allocated per second since the collection before. `None`: the time is not known.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let bytes = self.allocated.bytes.saturating_add(self.gap_bytes);
        (self.mutator_micros > 0).then(|| bytes as f64 * 1e6 / self.mutator_micros as f64)
    }
}

/// All spaces or regions of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceUse {
    /// The kind.
    pub kind: SpaceKind,
    /// How many of this kind hold something (G1: regions).
    pub number: u32,
    /// Bytes from bottom to top, together.
    pub used: u64,
}

/// Live objects of one site, caller and type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LivePart {
    /// Whose doing they are.
    pub origin: Origin,
    /// Their type.
    pub ty: TypeColumn,
}

/// The composition of the heap after one collection. Columns ascend; those without an object are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompositionPoint {
    /// The collection.
    pub collection: CollectionNumber,
    /// When it ended.
    pub unix_micros: u64,
    /// All live objects.
    pub total: Amount,
    /// By type.
    pub types: Vec<(TypeColumn, Amount)>,
    /// By site.
    pub sites: Vec<(SiteColumn, Amount)>,
    /// By site, caller and type, if asked for.
    pub parts: Vec<(LivePart, Amount)>,
}
