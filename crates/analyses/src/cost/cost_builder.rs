//! Takes what collections do, while a trace is replayed.

use core::cmp::Ordering;

use ducktrack_trace_format::{Collection, CollectionKind, Space};

use crate::cost::cost_ledger::{CostLedger, Pressure};
use crate::cost::gc_cost::{CallerCost, Cost, GcCost, GroupCost, SiteCost, TypeCost};
use crate::cost::object_group::CostQuestion;
use crate::cost::pause_kind::{PauseKind, is_asked_for};
use crate::cost::pause_model::{PauseModel, PauseSample};
use crate::cost::saved_collections::SavedCollections;
use crate::live_objects::HEAP_DUMP;
use crate::timeline::points::space_uses;
use ducktrack_count_model::{Origin, SiteColumn, SiteIndex, TypeColumn, TypeNames};
use ducktrack_heap_replay::{EpochSums, LiveObject, is_old};
use ducktrack_live_heap::Amount;

/// Costs while they are summed.
#[derive(Clone, Debug, Default)]
pub struct CostBuilder {
    origins: CostLedger<Origin>,
    types: CostLedger<TypeColumn>,
    pauses: [Vec<PauseSample>; 3],
    asked: [u64; 3],
    unknown: u64,
    unknown_nanos: u64,
    dump_nanos: u64,
    /// Bytes allocated since the last evacuation, with those of no site.
    allocated: u64,
    /// Bytes of work in the collection under way.
    work: u64,
    is_full: bool,
    /// Objects that stay where they are are work, too: a full collection marks them, and so does each concurrent one.
    counts_stayed: bool,
    /// Evacuations.
    evacuations: EpochSums,
    /// Full collections for want of room: how many, bytes used before and alive after, together.
    around_full: (u64, u64, u64),
    /// Bytes allocated before collections: those for want of room in the old space, and evacuations.
    before_full: MeanBytes,
    before_evacuation: MeanBytes,
    /// The epoch that the last full collection ended.
    last_full: Option<u32>,
    /// Remark was, Cleanup follows.
    is_marked: bool,
    saved: SavedCollections,
    /// Objects that have not been used for this many collections are dead in a run that is asked for.
    unused_for: u32,
    /// Evacuations and full collections.
    collections: EpochSums,
    /// The collector works while the program runs.
    pub(super) is_concurrent: bool,
}

impl CostBuilder {
    /// Costs, and the answers to a question.
    pub fn new(question: &CostQuestion) -> Self {
        Self {
            saved: SavedCollections::new(&question.groups),
            unused_for: question.unused_for,
            ..Self::default()
        }
    }

    /// Objects of the epoch under way that reached the heap.
    pub(crate) fn allocated(&mut self, origin: Origin, ty: TypeColumn, amount: Amount) {
        self.origins.allocated(origin, amount);
        self.types.allocated(ty, amount);
    }

    /// A collection begins.
    pub(crate) fn begin_collection(&mut self, collection: &Collection) {
        self.is_full = !self.is_concurrent && self.kind(collection) == Some(PauseKind::Full);
        self.counts_stayed = self.is_full || self.is_concurrent;
    }

    /// The collection, which ends `epoch`, keeps an object.
    pub(crate) fn count_kept(&mut self, object: &LiveObject, is_moved: bool, epoch: u32) {
        let bytes = object.bytes();
        let unused = self.collections.between(object.used, epoch) as u32;
        let times = unused.checked_div(self.unused_for).unwrap_or(0).min(2) as usize;
        if self.is_full {
            self.saved.alive(object, times);
        } else if (is_moved || self.counts_stayed) && times > 0 {
            let origin = self.origins.cost(object.origin());
            origin.note_unused_copy(bytes, times);
            self.types.cost(object.ty).note_unused_copy(bytes, times);
        }
        if is_moved || self.counts_stayed {
            self.work = self.work.saturating_add(bytes);
            self.origins.worked(object.origin(), bytes);
            self.types.worked(object.ty, bytes);
        }
        if is_moved {
            let age = epoch.saturating_sub(object.birth);
            self.origins.copied(object.origin(), bytes, age);
            self.types.copied(object.ty, bytes, age);
        }
    }

    pub(crate) fn count_promotion(&mut self, object: &LiveObject) {
        self.origins.promoted(object.origin(), object.bytes());
        self.types.promoted(object.ty, object.bytes());
        self.saved.promoted(object);
    }

    /// The collection that ends `epoch` finds an object dead.
    pub(crate) fn count_death(&mut self, object: &LiveObject, epoch: u32) {
        let one = Amount::one(object.bytes());
        let is_soon = self.last_full.is_none_or(|full| full <= object.birth);
        let copies = self.evacuations.between(object.birth, epoch);
        let note = |cost: &mut Cost| match object.is_promoted() {
            true if is_soon => cost.promoted_soon_dead += one,
            true => {}
            false => {
                let bytes = one.bytes.saturating_mul(copies);
                cost.copied_in_vain = cost.copied_in_vain.saturating_add(bytes);
            }
        };
        note(self.origins.cost(object.origin()));
        note(self.types.cost(object.ty));
    }

    /// A collection has ended `epoch`, in which this many bytes were allocated; with `defers` it did not look at new objects.
    pub(crate) fn end_collection(
        &mut self,
        collection: &Collection,
        epoch: u32,
        bytes: u64,
        defers: bool,
    ) {
        self.allocated = self.allocated.saturating_add(bytes);
        let work = core::mem::take(&mut self.work);
        let Some(kind) = self.kind(collection) else {
            return;
        };
        let pressure = self.pressure(kind, collection);
        let at = kind.position();
        if let Some(pauses) = self.pauses.get_mut(at) {
            let nanos = match self.is_concurrent {
                true => collection.collector_nanos,
                false => pause_nanos(collection),
            };
            pauses.push(PauseSample { nanos, work });
            if collection.cause == HEAP_DUMP {
                self.dump_nanos = self.dump_nanos.saturating_add(nanos);
            }
        }
        if self.is_full {
            let old = (old_bytes(&collection.before), old_bytes(&collection.after));
            self.saved.end(old, work, pressure == Pressure::Asked);
        }
        if kind == PauseKind::Full && pressure != Pressure::Asked {
            let used = space_uses(&collection.before);
            let used = used.iter().map(|space| space.used);
            self.around_full.0 += 1;
            self.around_full.1 = used.fold(self.around_full.1, u64::saturating_add);
            self.around_full.2 = self.around_full.2.saturating_add(work);
        }
        match kind {
            PauseKind::Full if pressure != Pressure::Asked => {
                self.before_full.add(self.allocated);
            }
            PauseKind::Evacuation if !defers => self.before_evacuation.add(self.allocated),
            _ => {}
        }
        if let Some(asked) = self.asked.get_mut(at) {
            *asked += u64::from(pressure == Pressure::Asked);
        }
        self.origins.end_pause(kind, pressure, work);
        self.types.end_pause(kind, pressure, work);
        let is_evacuation = kind == PauseKind::Evacuation && !defers;
        self.evacuations.add(epoch, u64::from(is_evacuation), 0);
        let is_collection = kind != PauseKind::Cycle && !defers;
        self.collections.add(epoch, u64::from(is_collection), 0);
        self.empty_spaces(kind, epoch, defers);
    }

    /// The kind under which the collection is counted. A cycle of ZGC that
    /// collects new objects comes when enough is allocated, as an evacuation does.
    fn kind(&self, collection: &Collection) -> Option<PauseKind> {
        match (self.is_concurrent, collection.kind) {
            (false, kind) => PauseKind::of(kind),
            (true, CollectionKind::Young | CollectionKind::Full) => Some(PauseKind::Evacuation),
            (true, CollectionKind::Old) => Some(PauseKind::Full),
            (true, _) => None,
        }
    }

    fn pressure(&self, kind: PauseKind, collection: &Collection) -> Pressure {
        let promoted = self.origins.promoted_bytes() > 0;
        match kind {
            _ if is_asked_for(&collection.cause) => Pressure::Asked,
            PauseKind::Full | PauseKind::Cycle if promoted => Pressure::Promoted,
            _ => Pressure::Allocated(self.allocated),
        }
    }

    fn empty_spaces(&mut self, kind: PauseKind, epoch: u32, defers: bool) {
        if !defers {
            self.allocated = 0;
            self.origins.forget_allocated();
            self.types.forget_allocated();
        }
        if kind == PauseKind::Full {
            self.last_full = Some(epoch);
            self.is_marked = false;
            self.forget_promoted();
        }
    }

    fn forget_promoted(&mut self) {
        self.origins.forget_promoted();
        self.types.forget_promoted();
    }

    /// A concurrent cycle has marked what lives: true at its first pause, if the collection is of a cycle.
    pub(crate) fn begins_cycle_end(&mut self, collection: &Collection) -> bool {
        if collection.kind != CollectionKind::Cleanup || self.is_concurrent {
            return false;
        }
        self.is_marked = !self.is_marked;
        if !self.is_marked {
            self.forget_promoted();
        }
        self.is_marked
    }

    pub(crate) fn marked(&mut self, object: &LiveObject) {
        let bytes = object.bytes();
        for cost in [
            self.origins.cost(object.origin()),
            self.types.cost(object.ty),
        ] {
            cost.marked = cost.marked.saturating_add(bytes);
        }
    }

    /// A collection whose moves are unknown: neither its work nor the allocations since the last one are known.
    pub(crate) fn lost_collection(&mut self, collection: &Collection) {
        self.unknown += 1;
        if !self.is_concurrent {
            let nanos = pause_nanos(collection);
            self.unknown_nanos = self.unknown_nanos.saturating_add(nanos);
        }
        self.allocated = 0;
        self.origins.forget_allocated();
        self.types.forget_allocated();
        self.forget_promoted();
    }

    /// The table.
    pub(super) fn table(self, types: &TypeNames) -> GcCost {
        let [young, full, cycle] = &self.pauses;
        let [young_asked, full_asked, cycle_asked] = self.asked;
        let mut answer = GcCost {
            models: [
                PauseModel::fit(young, young_asked),
                PauseModel::fit(full, full_asked),
                PauseModel::fit(cycle, cycle_asked),
            ],
            around_full: match self.around_full {
                (0, _, _) => None,
                (times, used, alive) => Some((used / times, alive / times)),
            },
            stands_in: self.before_full.share_of(&self.before_evacuation),
            unknown: self.unknown,
            unknown_nanos: self.unknown_nanos,
            dump_nanos: self.dump_nanos,
            unused_for: self.unused_for,
            is_concurrent: self.is_concurrent,
            ..GcCost::default()
        };
        let saved = &self.saved;
        let of_type = |(column, cost): (TypeColumn, Cost)| TypeCost {
            ty: types.name(column).cloned(),
            cost: Cost {
                full: saved.of_type(column),
                ..cost
            },
        };
        answer.sites = sites(self.origins.finish(), saved);
        answer.groups = groups(&answer.sites, saved);
        answer.types = self.types.finish().into_iter().map(of_type).collect();
        for site in &answer.sites {
            answer.total += &site.cost;
        }
        answer.total.full = saved.of_all();
        sort(answer)
    }
}

fn pause_nanos(collection: &Collection) -> u64 {
    let micros = collection
        .end_unix_micros
        .saturating_sub(collection.start_unix_micros);
    let nanos = micros.saturating_mul(1_000);
    nanos.saturating_sub(collection.walk_nanos)
}

/// Bytes in use in old spaces.
fn old_bytes(spaces: &[Space]) -> u64 {
    let old = spaces.iter().filter(|space| is_old(space.kind));
    let used = old.map(|space| space.top.saturating_sub(space.bottom));
    used.fold(0, u64::saturating_add)
}

/// Groups are parts of sites.
fn groups(sites: &[SiteCost], saved: &SavedCollections) -> Vec<GroupCost> {
    let mut groups: Vec<GroupCost> = (0..saved.groups())
        .map(|group| GroupCost {
            cost: Cost {
                full: saved.of_group(group),
                ..Cost::default()
            },
        })
        .collect();
    for row in sites {
        let column = row.site.map_or(SiteColumn::NONE, SiteColumn::of);
        for (group, share) in saved.shares(column) {
            if let Some(group) = groups.get_mut(*group) {
                let full = group.cost.full;
                group.cost += &row.cost.part(*share);
                group.cost.full = full;
            }
        }
    }
    groups
}

fn sites(origins: Vec<(Origin, Cost)>, saved: &SavedCollections) -> Vec<SiteCost> {
    let mut sites: Vec<SiteCost> = Vec::new();
    let mut current: Option<SiteColumn> = None;
    for (origin, mut cost) in origins {
        cost.full = saved.of_origin(origin);
        if current.replace(origin.site) != Some(origin.site) {
            let site: Option<SiteIndex> = origin.site.site();
            sites.push(SiteCost {
                site,
                ..SiteCost::default()
            });
        }
        if let Some(row) = sites.last_mut() {
            row.cost += &cost;
            let call = origin.caller.call();
            row.callers.push(CallerCost { call, cost });
        }
    }
    for row in &mut sites {
        let column = row.site.map_or(SiteColumn::NONE, SiteColumn::of);
        row.cost.full = saved.of_site(column);
        if row.callers.iter().all(|caller| caller.call.is_none()) {
            row.callers.clear();
        }
    }
    sites
}

fn sort(mut answer: GcCost) -> GcCost {
    let mut sites = core::mem::take(&mut answer.sites);
    let mut types = core::mem::take(&mut answer.types);
    let by_cost = |a: &Cost, b: &Cost| -> Ordering {
        let saved = |cost: &Cost| answer.without(cost).value;
        let by_saved = saved(b).total_cmp(&saved(a));
        by_saved.then_with(|| b.allocated.bytes.cmp(&a.allocated.bytes))
    };
    sites.sort_by(|a, b| by_cost(&a.cost, &b.cost));
    types.sort_by(|a, b| by_cost(&a.cost, &b.cost));
    for site in &mut sites {
        site.callers.sort_by(|a, b| by_cost(&a.cost, &b.cost));
    }
    GcCost {
        sites,
        types,
        ..answer
    }
}

/// A mean of bytes.
#[derive(Clone, Copy, Debug, Default)]
struct MeanBytes {
    sum: f64,
    count: f64,
}

impl MeanBytes {
    fn add(&mut self, bytes: u64) {
        self.sum += bytes as f64;
        self.count += 1.0;
    }

    /// This mean as a share of another one, at most 1; 0 where one of them is of no values.
    fn share_of(&self, other: &Self) -> f64 {
        let mean = |all: &Self| all.sum / all.count.max(1.0);
        match mean(other) > 0.0 {
            true => (mean(self) / mean(other)).min(1.0),
            false => 0.0,
        }
    }
}
