//! Live objects by site, caller and type, kept up to date with every birth and death.

use ducktrack_heap_replay::{Heap, LiveObject};
use ducktrack_live_heap::Amount;
use rustc_hash::FxHashMap;

use crate::LivePart;

/// Counts of parts. Those without an object are not in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveParts {
    amounts: FxHashMap<LivePart, Amount>,
}

impl LiveParts {
    /// Counts a heap that was not known before.
    pub(crate) fn recount(&mut self, heap: &Heap) {
        self.amounts.clear();
        heap.objects().for_each(|object| self.add(object));
    }

    pub(crate) fn add(&mut self, object: &LiveObject) {
        *self.amounts.entry(part(object)).or_default() += Amount::one(object.bytes());
    }

    pub(crate) fn remove(&mut self, object: &LiveObject) {
        let part = part(object);
        if let Some(amount) = self.amounts.get_mut(&part) {
            *amount -= Amount::one(object.bytes());
            if amount.count == 0 {
                self.amounts.remove(&part);
            }
        }
    }

    /// All parts, in order.
    pub(crate) fn sorted(&self) -> Vec<(LivePart, Amount)> {
        let parts = self.amounts.iter();
        let mut parts: Vec<_> = parts.map(|(part, amount)| (*part, *amount)).collect();
        parts.sort_unstable_by_key(|(part, _)| *part);
        parts
    }
}

fn part(object: &LiveObject) -> LivePart {
    LivePart {
        origin: object.origin(),
        ty: object.ty,
    }
}
