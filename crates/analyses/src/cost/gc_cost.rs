//! The answer: what each site, caller and type cost the collector.

use std::sync::Arc;

use crate::cost::model_error::with_model_error;
use crate::cost::other_run::Saved;
use crate::cost::other_runs::FullSavings;
use crate::cost::pause_kind::PauseKind;
use crate::cost::pause_model::{Estimate, PauseModel};
use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_live_heap::Amount;

/// Costs of a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GcCost {
    /// By kind of pause, in the order of [`PauseKind::ALL`].
    pub models: [PauseModel; 3],
    /// Collections whose moves are not known: in no model and no cost.
    pub unknown: u64,
    /// Their pauses, nanoseconds.
    pub unknown_nanos: u64,
    /// Pauses of collections for heap dumps, nanoseconds: they are in the models, and a run without dumps does not have them.
    pub dump_nanos: u64,
    /// Full collections that came for want of room: bytes used before, and live after, on the average. `None`: there was none.
    pub around_full: Option<(u64, u64)>,
    /// Young collections that a full one for want of room stands in for, on the average: up to 1. Serial collects everything
    /// *instead of* the young space when the old one is short of room, so a full collection less is a young one more.
    pub stands_in: f64,
    /// All objects together.
    pub total: Cost,
    /// By site, where a run without it saves most first. `None` as site: objects without an event.
    pub sites: Vec<SiteCost>,
    /// By type, in the same order.
    pub types: Vec<TypeCost>,
    /// Objects that have not been used for this many collections are dead in the run of [`unused`](Self::unused).
    pub unused_for: u32,
    /// The groups that were asked for.
    pub groups: Vec<GroupCost>,
    /// The collector works while the program runs (ZGC): times are CPU of its workers, not pauses; work is what it marked.
    pub is_concurrent: bool,
}

/// Costs of the objects of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupCost {
    /// All of it: of each site its share.
    pub cost: Cost,
}

/// Costs of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteCost {
    /// Row in [`CountModel::sites`](ducktrack_count_model::CountModel::sites). `None`: objects without an event.
    pub site: Option<SiteIndex>,
    /// All of it.
    pub cost: Cost,
    /// `cost` by caller to blame, in the same order; empty when no caller is known.
    pub callers: Vec<CallerCost>,
}

/// Costs of one caller's objects at one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallerCost {
    /// Row in [`CountModel::calls`](ducktrack_count_model::CountModel::calls). `None`: not known.
    pub call: Option<CallIndex>,
    /// Of the site's.
    pub cost: Cost,
}

/// Costs of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeCost {
    /// As descriptor. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// All of it. Objects that died at once count under the type that the bytecode of their site names.
    pub cost: Cost,
}

/// The collector's costs for some objects.
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
    /// Full collections that other runs do without. A sum over candidates is
    /// too high: two leaks that share the room do not cost all collections.
    pub full: FullSavings,
    /// Bytes of evacuations' copies of objects that had not been used for long: once and twice the time.
    pub unused_copied: [u64; 2],
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
    pub(crate) fn note_unused_copy(&mut self, bytes: u64, times: usize) {
        let sums = self.unused_copied.iter_mut().take(times);
        sums.for_each(|sum| *sum = sum.saturating_add(bytes));
    }

    /// A share of it, all but the full collections that are saved.
    pub(crate) fn part(&self, share: f64) -> Self {
        let of = |bytes: u64| (bytes as f64 * share) as u64;
        let of_amount = |amount: Amount| Amount {
            count: of(amount.count),
            bytes: of(amount.bytes),
        };
        Self {
            allocated: of_amount(self.allocated),
            copied: of_amount(self.copied),
            copied_by_age: self.copied_by_age.iter().copied().map(of).collect(),
            copied_in_vain: of(self.copied_in_vain),
            marked: of(self.marked),
            promoted: of_amount(self.promoted),
            promoted_soon_dead: of_amount(self.promoted_soon_dead),
            kinds: self.kinds.map(|kind| KindCost {
                brought_on: kind.brought_on * share,
                work: of(kind.work),
                brought_work: kind.brought_work * share,
            }),
            full: FullSavings::default(),
            unused_copied: self.unused_copied.map(of),
        }
    }

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
        self.full += other.full;
        let copies = self.unused_copied.iter_mut().zip(&other.unused_copied);
        copies.for_each(|(sum, bytes)| *sum = sum.saturating_add(*bytes));
    }
}

impl GcCost {
    /// Nanoseconds of pauses that a run without these objects would save.
    ///
    /// - The work done for them, and the constants of the collections that they cause: always.
    /// - Others are copied less often where there are fewer collections. Those that die young are
    ///   copied in proportion to the collections; those that get old are copied a fixed number of
    ///   times. The estimate knows both by their bytes; its interval reaches from none to all.
    /// - Full collections come later and have less to do ([`FullSavings`]). They are few: the interval
    ///   goes down and up to the next whole number, where that is not less likely than one in twenty.
    pub fn without(&self, cost: &Cost) -> Estimate {
        let [evacuations, _, cycle] = &self.models;
        let young = cost.kind(PauseKind::Evacuation);
        let vain = self.total.copied_in_vain as f64
            / (self.total.kind(PauseKind::Evacuation).work.max(1) as f64);
        let own = young.work as f64;
        let of_young = |share: f64| {
            let others = share.min(1.0) * young.brought_work;
            evacuations.time(young.brought_on, own + others)
        };
        let (least, middle, most) = (of_young(0.0), of_young(vain), of_young(1.0));
        let whole = match self.is_concurrent {
            true => self.of_old_cycles(cost),
            false => self.of_full(cost.full.without),
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

    /// Savings of a run in which these objects are made, and die when they have not been used for some collections (as `ducktrack impact`
    /// removes them), nanoseconds of pauses. The interval reaches to twice as many collections: references are not removed at once.
    pub fn unused(&self, cost: &Cost) -> Estimate {
        let [evacuations, ..] = &self.models;
        // As much is allocated, so young collections come in the place of full ones.
        let young_nanos = evacuations.nanos as f64 / evacuations.pauses.max(1) as f64;
        let [soon, late] = cost.full.unused.map(|saved| {
            let instead = saved.collections * self.stands_in * young_nanos;
            self.of_full(saved).less(instead)
        });
        let [soon_copied, late_copied] = cost
            .unused_copied
            .map(|bytes| evacuations.time(0.0, bytes as f64));
        let (soon, late) = (soon + soon_copied, late + late_copied);
        let middle = Estimate::exact((soon.value + late.value) / 2.0);
        let bounds = [soon.low, soon.high, late.low, late.high];
        self.at_most_all(bounds.into_iter().fold(middle, Estimate::reaching))
    }

    /// Full collections that are saved; of a part of one it is not known whether it is saved.
    fn of_full(&self, saved: Saved) -> Estimate {
        let [_, full, _] = &self.models;
        let mean_work = full.work as f64 / full.pauses.max(1) as f64;
        let of = |collections: f64| {
            let others = (collections - saved.collections) * mean_work;
            full.time(collections, (saved.work + others).max(0.0))
        };
        of(saved.collections)
            .reaching(of(least_fully(saved.collections)).low)
            .reaching(of(most_fully(saved.collections)).high)
    }

    /// When ZGC begins an old cycle is a rule of its own: those are saved that the objects bring on, and the work that is done for them.
    fn of_old_cycles(&self, cost: &Cost) -> Estimate {
        let [_, old, _] = &self.models;
        let part = cost.kind(PauseKind::Full);
        old.time(part.brought_on, part.work as f64)
    }

    fn at_most_all(&self, saved: Estimate) -> Estimate {
        let all = self.pause_nanos() as f64;
        let saved = with_model_error(saved, all);
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
