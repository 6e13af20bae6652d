//! Sums of the collector's work for each origin (or each type), over all collections.

use core::hash::Hash;

use rustc_hash::FxHashMap;

use crate::cost::gc_cost::{Cost, KindCost};
use crate::cost::pause_kind::PauseKind;
use crate::lifetimes::tally::by_survived;
use ducktrack_live_heap::Amount;

/// The open amounts of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Open {
    /// Bytes allocated since the last evacuation.
    allocated: u64,
    /// Bytes promoted since the old space was last collected.
    promoted: u64,
    /// Bytes of work in this collection.
    work: u64,
}

/// By what a collection is brought on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressure {
    /// Allocated bytes, of this sum.
    Allocated(u64),
    /// Promoted bytes.
    Promoted,
    /// Nothing: it was asked for.
    Asked,
}

/// Costs by key; the default key is "not known".
#[derive(Clone, Debug, Default)]
pub(super) struct CostLedger<K: Hash + Eq> {
    open: FxHashMap<K, Open>,
    costs: FxHashMap<K, Cost>,
}

impl<K: Hash + Eq + Copy + Default + Ord> CostLedger<K> {
    pub(super) fn allocated(&mut self, key: K, amount: Amount) {
        if amount.is_zero() {
            return;
        }
        self.cost(key).allocated += amount;
        let open = self.open.entry(key).or_default();
        open.allocated = open.allocated.saturating_add(amount.bytes);
    }

    pub(super) fn cost(&mut self, key: K) -> &mut Cost {
        self.costs.entry(key).or_default()
    }

    pub(super) fn copied(&mut self, key: K, bytes: u64, age: u32) {
        let cost = self.cost(key);
        cost.copied += Amount::one(bytes);
        let of_age = by_survived(&mut cost.copied_by_age, age);
        *of_age = of_age.saturating_add(bytes);
    }

    pub(super) fn worked(&mut self, key: K, bytes: u64) {
        let open = self.open.entry(key).or_default();
        open.work = open.work.saturating_add(bytes);
    }

    pub(super) fn promoted(&mut self, key: K, bytes: u64) {
        self.cost(key).promoted += Amount::one(bytes);
        let open = self.open.entry(key).or_default();
        open.promoted = open.promoted.saturating_add(bytes);
    }

    /// Bytes promoted since the old space was last collected.
    pub(super) fn promoted_bytes(&self) -> u64 {
        let open = self.open.values().map(|open| open.promoted);
        open.fold(0, u64::saturating_add)
    }

    /// A pause of this kind ends, in which this many bytes of work were done for all keys together.
    pub(super) fn end_pause(&mut self, kind: PauseKind, pressure: Pressure, work: u64) {
        let share = self.shares(pressure);
        let mut known = 0.0;
        let at = kind.position();
        for (key, open) in &mut self.open {
            let part = share(open);
            known += part;
            let done = core::mem::take(&mut open.work);
            let cost = self.costs.entry(*key).or_default();
            let Some(of_kind) = cost.kinds.get_mut(at) else {
                continue;
            };
            of_kind.add(part, done, work);
        }
        if pressure != Pressure::Asked {
            let without = self.costs.entry(K::default()).or_default();
            if let Some(of_kind) = without.kinds.get_mut(at) {
                of_kind.add((1.0 - known).max(0.0), 0, work);
            }
        }
    }

    /// The share of a key in what brought a collection on. Keys share at most 1.
    fn shares(&self, pressure: Pressure) -> impl Fn(&Open) -> f64 + use<K> {
        let sum = |value: fn(&Open) -> u64| {
            let values = self.open.values().map(value);
            values.fold(0, u64::saturating_add)
        };
        let whole = match pressure {
            Pressure::Allocated(all) => all.max(sum(|open| open.allocated)),
            Pressure::Promoted => sum(|open| open.promoted),
            Pressure::Asked => 0,
        };
        move |open| {
            let part = match pressure {
                Pressure::Allocated(_) => open.allocated,
                Pressure::Promoted => open.promoted,
                Pressure::Asked => 0,
            };
            part as f64 / whole.max(1) as f64
        }
    }

    /// The young spaces are empty.
    pub(super) fn forget_allocated(&mut self) {
        self.open.values_mut().for_each(|open| open.allocated = 0);
        self.tidy();
    }

    /// The old space was collected.
    pub(super) fn forget_promoted(&mut self) {
        self.open.values_mut().for_each(|open| open.promoted = 0);
        self.tidy();
    }

    fn tidy(&mut self) {
        self.open.retain(|_, open| *open != Open::default());
    }

    /// All costs, in the order of the keys.
    pub(super) fn finish(self) -> Vec<(K, Cost)> {
        let mut costs: Vec<(K, Cost)> = self.costs.into_iter().collect();
        costs.sort_unstable_by_key(|(key, _)| *key);
        costs
    }
}

impl KindCost {
    /// A pause with this many bytes of work, of which `own` were done for this.
    fn add(&mut self, brought: f64, own: u64, all: u64) {
        self.brought_on += brought;
        self.work = self.work.saturating_add(own);
        self.brought_work += brought * all.saturating_sub(own) as f64;
    }
}
