//! Which counters a rewriting has taken, and what they count: the next one takes the same, if it counts the same.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ducktrack_class_rewriter::PlannedCounter;
use rustc_hash::FxHasher;

/// Counters with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CounterRange {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The counters of a class in the order in which the rewriting asked for them, and a hash of what they count.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) counters: Arc<[CounterRange]>,
    pub(super) meaning: u64,
}

/// A hash of what these counters count.
pub(super) fn meaning(counters: &[PlannedCounter]) -> u64 {
    let mut hasher = FxHasher::default();
    for counter in counters {
        (counter.id, counter.method, counter.role as u8).hash(&mut hasher);
        for term in &counter.terms {
            (term.site, term.factor, term.unit).hash(&mut hasher);
        }
    }
    hasher.finish()
}
