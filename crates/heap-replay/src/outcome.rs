//! Effects of a collection on the objects of a heap.

use ducktrack_live_heap::Amount;

/// Fates of the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// At another address.
    pub moved: Amount,
    /// At the same address.
    pub stayed: Amount,
    /// Found dead.
    pub died: Amount,
    /// Moved from a young to an old space.
    pub promoted: Amount,
    /// Of those found dead: promoted before.
    pub died_promoted: Amount,
    /// Objects that came to lie where there was one already: a contradiction in the trace.
    pub conflicts: u64,
    /// Objects of the epoch that lay where the collection judged nothing,
    /// though it judged all that was new (ZGC): a contradiction in the trace.
    pub strays: u64,
    /// Survivors that no event explains and no earlier collection.
    pub found: u64,
    /// Survivors that were known before, and are claimed by runs.
    pub explained: u64,
}
