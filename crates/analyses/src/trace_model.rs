//! A trace as it was read, beside the answers to [`Question`](crate::Question)s about it.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::TraceInfo;

/// The command makes it with `load_trace(path, question) -> Result<(TraceModel, Answer)>`.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceModel {
    /// Sites, methods, threads, counts: the contents of `ducktrack.trace`.
    pub count: CountModel,
    /// The contents of the event files.
    pub info: TraceInfo,
}
