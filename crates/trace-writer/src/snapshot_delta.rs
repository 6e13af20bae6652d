//! The difference between two complete snapshots.
//!
//! A snapshot in the trace names only the values that differ from the previous snapshot (see
//! [`Snapshot`](ducktrack_trace_format::Snapshot)); the values themselves are totals. With old values `p` and new values `n`,
//! the delta holds every key with `n(key) != p(key)`, where an absent key has the value 0. In particular a thread that is
//! gone (folded into another) is named once more, with zeros.
//!
//! The delta is computed first and remembered only when it has been written, so that a failed write loses nothing:
//! the next delta holds its changes too.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ducktrack_trace_format::{
    CallSiteId, CounterId, KeyedCount, SiteId, Snapshot, ThreadCounts, ThreadId,
};

/// Values that are not 0, in ascending order of unique keys. There are many of them, so they are kept in a vector.
type Values<K, V> = Vec<(K, V)>;
type CounterValues = Values<CounterId, u64>;
type Key = (SiteId, Option<CallSiteId>, Option<String>);

/// Objects and bytes of one key.
type KeyedValue = (u64, u64);

#[derive(Clone, Debug, Default, PartialEq)]
struct ThreadValues {
    vm_allocated_bytes: Option<u64>,
    counters: CounterValues,
    keyed: Values<Key, KeyedValue>,
}

/// The values of the last snapshot that was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotDelta {
    threads: BTreeMap<ThreadId, ThreadValues>,
    shared: CounterValues,
}

impl SnapshotDelta {
    /// Nothing has been written yet: all values are 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// What has changed in a complete snapshot since the last one that was [remembered](Self::remember).
    ///
    /// `complete` names every value that is not 0; if it names a thread or key twice, the last value counts. The
    /// result is ordered by id.
    pub fn changed(&self, complete: &Snapshot) -> Snapshot {
        let present = Self::of(complete);
        let mut threads: Vec<ThreadCounts> = present
            .threads
            .iter()
            .filter_map(|(id, now)| changed_thread(*id, self.threads.get(id), now))
            .collect();
        let gone = self
            .threads
            .iter()
            .filter(|(id, _)| !present.threads.contains_key(id));
        threads.extend(gone.filter_map(|(id, before)| gone_thread(*id, before)));
        threads.sort_by_key(|thread| thread.thread);
        Snapshot {
            threads,
            shared: changed_counters(&self.shared, &present.shared),
            cause: complete.cause.clone(),
            ..*complete
        }
    }

    /// Remembers the values of a complete snapshot, after its changes have been written, as the state to compare
    /// with.
    pub fn remember(&mut self, complete: &Snapshot) {
        *self = Self::of(complete);
    }

    fn of(complete: &Snapshot) -> Self {
        let thread = |thread: &ThreadCounts| (thread.thread, ThreadValues::of(thread));
        Self {
            threads: complete.threads.iter().map(thread).collect(),
            shared: counter_values(&complete.shared),
        }
    }
}

impl ThreadValues {
    fn of(thread: &ThreadCounts) -> Self {
        let keyed = thread.keyed.iter().map(|keyed| {
            let key = (keyed.site, keyed.context, keyed.ty.clone());
            (key, (keyed.count, keyed.bytes))
        });
        Self {
            vm_allocated_bytes: thread.vm_allocated_bytes,
            counters: counter_values(&thread.counters),
            keyed: sorted_values(keyed.collect(), (0, 0)),
        }
    }
}

fn counter_values(values: &[(CounterId, u64)]) -> CounterValues {
    sorted_values(values.to_vec(), 0)
}

/// Sorts (at no cost if already sorted), keeps the last value of each key, and leaves zeros out.
fn sorted_values<K: Ord, V: PartialEq>(mut values: Values<K, V>, zero: V) -> Values<K, V> {
    // The sort is stable, so after the reversal the first of equal keys is the one that was given last.
    values.reverse();
    values.sort_by(|one, other| one.0.cmp(&other.0));
    values.dedup_by(|later, first| later.0 == first.0);
    values.retain(|(_, value)| *value != zero);
    values
}

/// `None` when nothing changed.
fn changed_thread(
    id: ThreadId,
    before: Option<&ThreadValues>,
    now: &ThreadValues,
) -> Option<ThreadCounts> {
    let nothing = ThreadValues::default();
    let before = before.unwrap_or(&nothing);
    let same_bytes = now.vm_allocated_bytes == before.vm_allocated_bytes;
    let changed = ThreadCounts {
        thread: id,
        vm_allocated_bytes: now.vm_allocated_bytes.filter(|_| !same_bytes),
        counters: changed_counters(&before.counters, &now.counters),
        keyed: changed_keyed(&before.keyed, &now.keyed),
    };
    let empty = changed.vm_allocated_bytes.is_none()
        && changed.counters.is_empty()
        && changed.keyed.is_empty();
    (!empty).then_some(changed)
}

/// A thread that no longer exists has the value 0 in everything.
fn gone_thread(id: ThreadId, before: &ThreadValues) -> Option<ThreadCounts> {
    let now = ThreadValues {
        vm_allocated_bytes: before.vm_allocated_bytes.map(|_| 0),
        ..ThreadValues::default()
    };
    changed_thread(id, Some(before), &now)
}

fn changed_counters(before: &CounterValues, now: &CounterValues) -> Vec<(CounterId, u64)> {
    let counter =
        |(counter, value): (&CounterId, Option<&u64>)| (*counter, value.copied().unwrap_or(0));
    ChangedValues { before, now }.map(counter).collect()
}

fn changed_keyed(
    before: &Values<Key, KeyedValue>,
    now: &Values<Key, KeyedValue>,
) -> Vec<KeyedCount> {
    let keyed = |((site, context, ty), value): (&Key, Option<&KeyedValue>)| {
        let (count, bytes) = value.copied().unwrap_or((0, 0));
        KeyedCount {
            site: *site,
            context: *context,
            ty: ty.clone(),
            count,
            bytes,
        }
    };
    ChangedValues { before, now }.map(keyed).collect()
}

/// Walks two ascending lists together and yields the keys whose value differs, with the new value (`None`: gone).
struct ChangedValues<'a, K, V> {
    before: &'a [(K, V)],
    now: &'a [(K, V)],
}

impl<'a, K: Ord, V: PartialEq> Iterator for ChangedValues<'a, K, V> {
    type Item = (&'a K, Option<&'a V>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.before.first(), self.now.first()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((before, _)), Some((now, _))) => before.cmp(now),
            };
            let before = if order.is_le() {
                step(&mut self.before)
            } else {
                None
            };
            let now = if order.is_ge() {
                step(&mut self.now)
            } else {
                None
            };
            match (before, now) {
                (Some((_, old)), Some((_, new))) if old == new => {}
                (_, Some((key, value))) => return Some((key, Some(value))),
                (Some((key, _)), None) => return Some((key, None)),
                (None, None) => return None,
            }
        }
    }
}

/// Removes the first element from a list.
fn step<'a, T>(list: &mut &'a [T]) -> Option<&'a T> {
    let (first, rest) = list.split_first()?;
    *list = rest;
    Some(first)
}
