//! Everything that was asked of a trace.

use crate::{GcCost, HeapAt, Lifetimes, LiveObjects, Staleness, Survivors, Timeline};
use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::TraceInfo;

/// The answers to [`Questions`](crate::Questions). `SiteIndex` values in them are rows of `count.sites`.
///
/// The command makes it with `load_trace(path: &Path, questions: &Questions) -> Result<TraceModel>`.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceModel {
    /// Sites, methods, threads, counts: what `ducktrack.trace` says.
    pub count: CountModel,
    /// What is in the event files.
    pub info: TraceInfo,
    /// In the order of the questions; a collection that the trace does not have, or after which the heap is not known, gives `None`.
    pub heap_at: Vec<Option<HeapAt>>,
    /// If asked for: the heap after the collection with which that dump began. `None` also when the trace has no such collection, or the heap
    /// is not known after it.
    pub objects: Option<LiveObjects>,
    /// If asked for.
    pub lifetimes: Option<Lifetimes>,
    /// If asked for.
    pub timeline: Option<Timeline>,
    /// If asked for.
    pub survivors: Option<Survivors>,
    /// If asked for.
    pub cost: Option<GcCost>,
    /// If asked for; `None` as well where the heap is not known at that moment, or no uses were recorded.
    pub staleness: Option<Staleness>,
}
