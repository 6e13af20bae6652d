//! Everything that was asked of a trace.

use crate::{CountModel, Growth, HeapAt, Lifetimes, Timeline, TraceInfo};

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
    /// If asked for.
    pub lifetimes: Option<Lifetimes>,
    /// If asked for.
    pub timeline: Option<Timeline>,
    /// If asked for.
    pub growth: Option<Growth>,
}
