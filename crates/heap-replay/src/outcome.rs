//! What a collection did to the objects of a heap.

use ducktrack_live_heap::Amount;

/// What became of the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub moved: Amount,
    pub stayed: Amount,
    pub died: Amount,
    pub promoted: Amount,
    pub died_promoted: Amount,
    /// Survivors that no event explains and no earlier collection.
    pub found: u64,
    /// Survivors that were known before, and are claimed by runs.
    pub explained: u64,
}
