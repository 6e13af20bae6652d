//! What was sampled at a site.

use std::sync::Arc;

use ducktrack_count_model::{SampleSums, SizeClass};

/// Samples of one stack and thread in a stratum.
#[derive(Clone, Debug)]
pub(crate) struct StackSample {
    /// The frame of the site, as an index into the model's table.
    pub(crate) frame: usize,
    pub(crate) thread: Option<Arc<str>>,
    pub(crate) size: SizeClass,
    pub(crate) sums: SampleSums,
}
