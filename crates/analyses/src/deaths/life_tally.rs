//! The lives of some objects.

use ducktrack_merlin::Fate;

use crate::deaths::program_clock::ProgramClock;
use crate::deaths::quantile_histogram::QuantileHistogram;
use ducktrack_live_heap::Amount;

/// Spans of the lives of dead objects, on one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// From birth until unreachable (or, where that is not known, until collected).
    pub lifetime: QuantileHistogram,
    /// From the last use until unreachable.
    pub drag: QuantileHistogram,
    /// From unreachable until collected.
    pub floating: QuantileHistogram,
}

/// The lives of some objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LifeTally {
    /// All that were allocated.
    pub allocated: Amount,
    /// Not reported dead at the end.
    pub alive: Amount,
    /// Of the dead.
    pub spans: Spans,
}

impl Spans {
    /// Adds a dead object; one that is alive has no spans.
    pub(crate) fn add(&mut self, fate: &Fate, clock: ProgramClock) {
        let span = |from, to| clock.of(to).saturating_sub(clock.of(from));
        let Some(collected) = fate.collected else {
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
    }

    pub(crate) fn add(&mut self, fate: &Fate, clock: ProgramClock) {
        self.count(fate);
        self.spans.add(fate, clock);
    }

    /// Adds an object without its spans.
    pub(crate) fn count(&mut self, fate: &Fate) {
        self.allocated += Amount::one(fate.bytes);
        if fate.collected.is_none() {
            self.alive += Amount::one(fate.bytes);
        }
    }
}
