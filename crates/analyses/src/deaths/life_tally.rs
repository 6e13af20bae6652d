//! The lives of some objects.

use ducktrack_merlin::{Fate, Instant};

use crate::deaths::program_clock::ProgramClock;
use crate::deaths::quantile_histogram::QuantileHistogram;
use ducktrack_live_heap::Amount;

/// Spans of lives, on one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// From birth until unreachable (or, where that is not known, until collected).
    pub lifetime: QuantileHistogram,
    /// From the last use until unreachable.
    pub drag: QuantileHistogram,
    /// From unreachable until collected.
    pub floating: QuantileHistogram,
    /// Of objects alive at the end of the run: from the last use until then.
    pub drag_so_far: QuantileHistogram,
}

/// The lives of some objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LifeTally {
    /// All that were allocated.
    pub allocated: Amount,
    /// Not reported dead at the end.
    pub alive: Amount,
    /// All but `drag_so_far` are of the dead.
    pub spans: Spans,
}

impl Spans {
    /// Adds a dead object, or one that is alive at the `end` of the run.
    pub(crate) fn add(&mut self, fate: &Fate, clock: ProgramClock, end: Option<Instant>) {
        let span = |from, to| clock.of(to).saturating_sub(clock.of(from));
        let Some(collected) = fate.collected else {
            if let (Some(used), Some(end)) = (fate.used, end) {
                self.drag_so_far.add(span(used, end));
            }
            return;
        };
        let last = fate.unreachable.unwrap_or(collected);
        self.lifetime.add(span(fate.born, last));
        if let Some(unreachable) = fate.unreachable {
            self.floating.add(span(unreachable, collected));
            if let Some(used) = fate.used {
                self.drag.add(span(used, unreachable));
            }
        }
    }
}

impl LifeTally {
    /// Adds the objects of another.
    pub fn merge(&mut self, other: &Self) {
        self.allocated += other.allocated;
        self.alive += other.alive;
        self.spans.lifetime.merge(&other.spans.lifetime);
        self.spans.drag.merge(&other.spans.drag);
        self.spans.floating.merge(&other.spans.floating);
        self.spans.drag_so_far.merge(&other.spans.drag_so_far);
    }

    pub(crate) fn add(&mut self, fate: &Fate, clock: ProgramClock, end: Option<Instant>) {
        self.count(fate);
        self.spans.add(fate, clock, end);
    }

    /// Adds an object without its spans.
    pub(crate) fn count(&mut self, fate: &Fate) {
        self.allocated += Amount::one(fate.bytes);
        if fate.collected.is_none() {
            self.alive += Amount::one(fate.bytes);
        }
    }
}
