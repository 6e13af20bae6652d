//! The answer: what each site, caller and type cost the collector.

use std::sync::Arc;

use crate::heap::cost::pause_kind::PauseKind;
use crate::heap::cost::pause_model::{Estimate, PauseModel};
use crate::{Amount, CallIndex, SiteIndex};

/// Costs of a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GcCost {
    /// By kind of pause, in the order of [`PauseKind::ALL`].
    pub models: [PauseModel; 3],
    /// Collections whose moves are not known: in no model and no cost.
    pub unknown: u64,
    /// Their pauses, nanoseconds.
    pub unknown_nanos: u64,
    /// Full collections that came for want of room: bytes used before, and live after, on the average. `None`: there was none.
    pub around_full: Option<(u64, u64)>,
    /// All objects together.
    pub total: Cost,
    /// By site, where a run without it saves most first. `None` as site: objects without an event.
    pub sites: Vec<SiteCost>,
    /// By type, in the same order.
    pub types: Vec<TypeCost>,
}

/// What one site costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteCost {
    /// Row in [`CountModel::sites`](crate::CountModel::sites). `None`: objects without an event.
    pub site: Option<SiteIndex>,
    /// All of it.
    pub cost: Cost,
    /// `cost` by caller to blame, in the same order; empty when no caller is known.
    pub callers: Vec<CallerCost>,
}

/// What one caller's objects at one site cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallerCost {
    /// Row in [`CountModel::calls`](crate::CountModel::calls). `None`: not known.
    pub call: Option<CallIndex>,
    /// Of the site's.
    pub cost: Cost,
}

/// What one type costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeCost {
    /// As descriptor. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// All of it. Objects that died at once count under the type that the bytecode of their site names.
    pub cost: Cost,
}

/// What some objects cost the collector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Objects that reached the heap where the heap is known.
    pub allocated: Amount,
    /// Copies that collections made: an object counts each time it is moved.
    pub copied: Amount,
    /// Bytes of `copied` by collections that the object had survived before: position 0 is the first. No zeros at the end.
    pub copied_by_age: Vec<u64>,
    /// Bytes of `copied` by evacuations, of objects that died before they were promoted.
    pub copied_in_vain: u64,
    /// Bytes marked as alive by concurrent cycles, each cycle anew.
    pub marked: u64,
    /// Moved (or turned) from a young to an old space.
    pub promoted: Amount,
    /// Of these: found dead the first time that a collection looked at the old space.
    pub promoted_soon_dead: Amount,
    /// By kind of pause, in the order of [`PauseKind::ALL`].
    pub kinds: [KindCost; 3],
}

/// A share in the pauses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KindCost {
    /// Collections brought on: the sum of the shares in each.
    pub brought_on: f64,
    /// Bytes of work done for it.
    pub work: u64,
    /// Sum over the collections: the share brought on, times the bytes of work done for others.
    pub brought_work: f64,
}

impl Cost {
    /// Collections (of all kinds but pauses of concurrent cycles) that it brought on.
    pub fn collections(&self) -> f64 {
        self.kind(PauseKind::Evacuation).brought_on + self.kind(PauseKind::Full).brought_on
    }

    /// Its share in the pauses of one kind.
    pub fn kind(&self, kind: PauseKind) -> KindCost {
        self.kinds.get(kind.position()).copied().unwrap_or_default()
    }

    /// Its share of pause time, nanoseconds: the work done for it, and the constants of the pauses that it brought on.
    pub fn pause_nanos(&self, models: &[PauseModel; 3]) -> Estimate {
        let parts = models.iter().zip(&self.kinds);
        let times = parts.map(|(model, kind)| model.time(kind.brought_on, kind.work as f64));
        times.fold(Estimate::default(), |sum, time| sum + time)
    }
}

/// Sums that stop at the limit.
impl core::ops::AddAssign<&Self> for Cost {
    fn add_assign(&mut self, other: &Self) {
        self.allocated += other.allocated;
        self.copied += other.copied;
        self.copied_in_vain = self.copied_in_vain.saturating_add(other.copied_in_vain);
        self.marked = self.marked.saturating_add(other.marked);
        self.promoted += other.promoted;
        self.promoted_soon_dead += other.promoted_soon_dead;
        if self.copied_by_age.len() < other.copied_by_age.len() {
            self.copied_by_age.resize(other.copied_by_age.len(), 0);
        }
        for (sum, bytes) in self.copied_by_age.iter_mut().zip(&other.copied_by_age) {
            *sum = sum.saturating_add(*bytes);
        }
        for (sum, kind) in self.kinds.iter_mut().zip(&other.kinds) {
            sum.brought_on += kind.brought_on;
            sum.work = sum.work.saturating_add(kind.work);
            sum.brought_work += kind.brought_work;
        }
    }
}

impl GcCost {
    /// What a run without these objects would save, nanoseconds of pauses.
    ///
    /// - The work done for them, and the constants of the collections that they bring on: in any case.
    /// - Others are copied less often where there are fewer collections. Those that die young are copied in proportion to the collections; those that get old are copied
    ///   a fixed number of times. The estimate knows both by their bytes; its interval reaches from none to all.
    /// - A full collection that does not happen saves all of its work. Full collections are few: the interval goes down and up to the next whole number,
    ///   where that is not less likely than one in twenty.
    pub fn without(&self, cost: &Cost) -> Estimate {
        let [evacuations, full, cycle] = &self.models;
        let young = cost.kind(PauseKind::Evacuation);
        let vain = self.total.copied_in_vain as f64
            / (self.total.kind(PauseKind::Evacuation).work.max(1) as f64);
        let own = young.work as f64;
        let of_young = |share: f64| {
            let others = share.min(1.0) * young.brought_work;
            evacuations.time(young.brought_on, own + others)
        };
        let (least, middle, most) = (of_young(0.0), of_young(vain), of_young(1.0));
        let old = cost.kind(PauseKind::Full);
        let of_full = |collections: f64| {
            let times = collections / old.brought_on.max(f64::MIN_POSITIVE);
            full.time(collections, old.work as f64 + old.brought_work * times)
        };
        let whole = match old.brought_on {
            brought if brought > 0.0 => of_full(brought)
                .reaching(of_full(least_fully(brought)).low)
                .reaching(of_full(most_fully(brought)).high),
            _ => full.time(0.0, old.work as f64),
        };
        let cycles = cost.kind(PauseKind::Cycle);
        let young = Estimate {
            value: middle.value,
            low: least.low.min(middle.low),
            high: most.high.max(middle.high),
        };
        let saved = young + whole + cycle.time(cycles.brought_on, 0.0);
        self.at_most_all(saved)
    }

    fn at_most_all(&self, saved: Estimate) -> Estimate {
        let all = self.pause_nanos() as f64;
        Estimate {
            value: saved.value.min(all),
            low: saved.low.min(all),
            high: saved.high.min(all),
        }
    }

    /// All pauses that are explained, nanoseconds, without the time that the agent took.
    pub fn pause_nanos(&self) -> u64 {
        let nanos = self.models.iter().map(|model| model.nanos);
        nanos.fold(0, u64::saturating_add)
    }

    /// All of them, those of concurrent cycles left out.
    pub fn collections(&self) -> u64 {
        let [evacuations, full, _] = &self.models;
        evacuations.pauses.saturating_add(full.pauses)
    }

    /// Nanoseconds that no site brought on: the constants of pauses that were asked for.
    pub fn asked_nanos(&self) -> f64 {
        let asked = self.models.iter();
        asked
            .map(|model| model.asked as f64 * model.constant_nanos())
            .sum()
    }
}

/// A chance that is left out of an interval.
const RARE: f64 = 0.05;

/// The least whole number of collections that may be meant.
fn least_fully(brought: f64) -> f64 {
    match brought.fract() <= 1.0 - RARE {
        true => brought.floor(),
        false => brought,
    }
}

/// The most.
fn most_fully(brought: f64) -> f64 {
    match brought.fract() >= RARE {
        true => brought.ceil(),
        false => brought,
    }
}
