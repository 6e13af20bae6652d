//! The values at the last whole snapshot.
//!
//! A snapshot names what changed; the rest keeps its value. So the state is a fold over snapshots, and a snapshot
//! whose parts are not all there leaves it untouched.

use std::collections::BTreeMap;

use ducktrack_trace_format::{
    AgentCost, CallSiteId, ContextExecutions, CounterId, SiteId, Snapshot, ThreadCounts, ThreadId,
};
use rustc_hash::FxHashMap;

use crate::context_row::{AllExecutions, Executions};
use crate::{Inconsistency, SnapshotRow};

/// Site, caller to blame, type of the object.
pub(crate) type Key = (SiteId, Option<CallSiteId>, Option<String>);

/// The current values of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadState {
    pub(crate) vm_allocated_bytes: Option<u64>,
    pub(crate) counters: FxHashMap<CounterId, u64>,
    /// Ordered, so that parts of sites come in a stable order.
    pub(crate) keyed: BTreeMap<Key, (u64, u64)>,
}

/// The current values of all threads, and what has been seen of snapshots.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnapshotState {
    pub(crate) threads: BTreeMap<ThreadId, ThreadState>,
    pub(crate) shared: FxHashMap<CounterId, u64>,
    pub(crate) vm_allocated_bytes: Option<u64>,
    pub(crate) before_ready_bytes: Option<u64>,
    pub(crate) cost: AgentCost,
    pub(crate) executions: AllExecutions,
    pub(crate) snapshots: Vec<SnapshotRow>,
    /// Parts whose last one is not there yet.
    parts: Vec<Snapshot>,
    counter_totals: FxHashMap<CounterId, u128>,
    keyed_totals: FxHashMap<SiteId, u128>,
    inconsistencies: Vec<Inconsistency>,
}

/// Totals of keys that a snapshot touches, as they were before it.
type Before<K> = FxHashMap<K, u128>;

impl SnapshotState {
    /// Takes a snapshot, or a part of one.
    pub(crate) fn take(&mut self, snapshot: Snapshot) {
        if self
            .parts
            .first()
            .is_some_and(|first| first.sequence != snapshot.sequence)
        {
            self.drop_parts();
        }
        let more = snapshot.more;
        self.parts.push(snapshot);
        if !more {
            self.apply_parts();
        }
    }

    /// Takes the executions of a context; they belong to the next snapshot.
    pub(crate) fn take_executions(&mut self, record: &ContextExecutions) {
        self.executions
            .insert(record.context, Executions::of(record));
    }

    /// Contradictions between snapshots, and a snapshot that never became whole.
    pub(crate) fn inconsistencies(&self) -> Vec<Inconsistency> {
        let open = self
            .parts
            .first()
            .map(|part| Inconsistency::PartialSnapshot {
                snapshot: part.sequence,
            });
        self.inconsistencies.iter().cloned().chain(open).collect()
    }

    /// Words of counters, over all threads.
    pub(crate) fn counter_totals(&self) -> impl Iterator<Item = (CounterId, u128)> {
        self.counter_totals.iter().map(|(id, value)| (*id, *value))
    }

    fn drop_parts(&mut self) {
        if let Some(first) = self.parts.first() {
            self.inconsistencies.push(Inconsistency::PartialSnapshot {
                snapshot: first.sequence,
            });
        }
        self.parts.clear();
    }

    fn apply_parts(&mut self) {
        let parts = core::mem::take(&mut self.parts);
        let mut counters_before = Before::default();
        let mut keyed_before = Before::default();
        let mut sequence = 0;
        for part in parts {
            sequence = part.sequence;
            self.apply_shared(&part.shared, &mut counters_before);
            for thread in &part.threads {
                self.apply_thread(thread, &mut counters_before, &mut keyed_before);
            }
            if !part.more {
                self.apply_outline(part);
            }
        }
        self.check_counters(&counters_before, sequence);
        self.check_keyed(&keyed_before, sequence);
    }

    fn apply_shared(&mut self, shared: &[(CounterId, u64)], before: &mut Before<CounterId>) {
        for &(counter, value) in shared {
            let old = self.shared.insert(counter, value).unwrap_or(0);
            change(&mut self.counter_totals, before, counter, old, value);
        }
    }

    fn apply_thread(
        &mut self,
        thread: &ThreadCounts,
        counters_before: &mut Before<CounterId>,
        keyed_before: &mut Before<SiteId>,
    ) {
        let state = self.threads.entry(thread.thread).or_default();
        state.vm_allocated_bytes = thread.vm_allocated_bytes.or(state.vm_allocated_bytes);
        for &(counter, value) in &thread.counters {
            let old = state.counters.insert(counter, value).unwrap_or(0);
            change(
                &mut self.counter_totals,
                counters_before,
                counter,
                old,
                value,
            );
        }
        for keyed in &thread.keyed {
            let key = (keyed.site, keyed.context, keyed.ty.clone());
            let (old, _) = state
                .keyed
                .insert(key, (keyed.count, keyed.bytes))
                .unwrap_or((0, 0));
            change(
                &mut self.keyed_totals,
                keyed_before,
                keyed.site,
                old,
                keyed.count,
            );
        }
    }

    fn apply_outline(&mut self, snapshot: Snapshot) {
        if let Some(last) = self.snapshots.last()
            && snapshot.sequence <= last.sequence
        {
            self.inconsistencies.push(Inconsistency::SnapshotOrder {
                found: snapshot.sequence,
                after: last.sequence,
            });
        }
        self.vm_allocated_bytes = snapshot.vm_allocated_bytes;
        self.before_ready_bytes = snapshot.before_ready_bytes;
        self.cost = snapshot.cost;
        self.snapshots.push(SnapshotRow {
            sequence: snapshot.sequence,
            unix_millis: snapshot.unix_millis,
            cause: snapshot.cause,
            vm_allocated_bytes: snapshot.vm_allocated_bytes,
        });
    }

    fn check_counters(&mut self, before: &Before<CounterId>, snapshot: u32) {
        if let Some((counter, by, times)) = largest_fall(before, &self.counter_totals) {
            self.inconsistencies.push(Inconsistency::CounterWentBack {
                counter,
                snapshot,
                by,
                times,
            });
        }
    }

    fn check_keyed(&mut self, before: &Before<SiteId>, snapshot: u32) {
        if let Some((site, by, times)) = largest_fall(before, &self.keyed_totals) {
            self.inconsistencies.push(Inconsistency::KeyedWentBack {
                site,
                snapshot,
                by,
                times,
            });
        }
    }
}

/// Brings a total up to date, and remembers what it was when the snapshot first touched it.
fn change<K: Copy + Eq + core::hash::Hash>(
    totals: &mut FxHashMap<K, u128>,
    before: &mut Before<K>,
    key: K,
    old: u64,
    new: u64,
) {
    let total = totals.entry(key).or_insert(0);
    before.entry(key).or_insert(*total);
    // `old` is part of the total, so this cannot go below zero; and no file holds enough values to overflow.
    *total = total
        .saturating_sub(u128::from(old))
        .saturating_add(u128::from(new));
}

/// The key whose total fell most (the lowest of equals), by how much, and how many fell.
fn largest_fall<K: Copy + Ord + core::hash::Hash>(
    before: &Before<K>,
    after: &FxHashMap<K, u128>,
) -> Option<(K, u64, u64)> {
    let falls = before.iter().filter_map(|(key, old)| {
        let new = after.get(key).copied().unwrap_or(0);
        let by = u64::try_from(old.checked_sub(new)?).unwrap_or(u64::MAX);
        (by > 0).then_some((*key, by))
    });
    let mut times = 0;
    let mut largest: Option<(K, u64)> = None;
    for (key, by) in falls {
        times += 1;
        if largest.is_none_or(|(known, most)| by > most || (by == most && key < known)) {
            largest = Some((key, by));
        }
    }
    largest.map(|(key, by)| (key, by, times))
}
