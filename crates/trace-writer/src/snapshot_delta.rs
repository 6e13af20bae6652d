//! From complete values to those that changed.
//!
//! A snapshot in the trace names only what differs from the snapshot before (see
//! [`Snapshot`](ducktrack_trace_format::Snapshot)); the values themselves are totals. With old values `p` and new values `n`,
//! the delta holds every key with `n(key) != p(key)`, where a key that is not there has the value 0. In particular
//! a thread that is gone (folded into another) is named once more with zeros.
//!
//! The delta is computed first and remembered only when it has been written, so that a failed write loses nothing:
//! the next delta holds its changes too.

use std::collections::BTreeMap;

use ducktrack_trace_format::{
    CallSiteId, CounterId, KeyedCount, SiteId, Snapshot, ThreadCounts, ThreadId,
};

type CounterValues = BTreeMap<CounterId, u64>;
type Key = (SiteId, Option<CallSiteId>, Option<String>);

/// Objects and bytes of one key.
type KeyedValue = (u64, u64);

#[derive(Clone, Debug, Default, PartialEq)]
struct ThreadValues {
    vm_allocated_bytes: Option<u64>,
    counters: CounterValues,
    keyed: BTreeMap<Key, KeyedValue>,
}

/// The values of the last snapshot that was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotDelta {
    threads: BTreeMap<ThreadId, ThreadValues>,
    shared: CounterValues,
}

impl SnapshotDelta {
    /// Nothing was written yet: all values are 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// What of a complete snapshot has changed since the last one that was [remembered](Self::remember).
    ///
    /// `complete` names every value that is not 0, each once. The result is ordered by id.
    pub fn changed(&self, complete: &Snapshot) -> Snapshot {
        let present = Self::of(complete);
        let nothing = ThreadValues::default();
        let ids = present.threads.keys().chain(self.threads.keys());
        let ids: std::collections::BTreeSet<ThreadId> = ids.copied().collect();
        let threads = ids.into_iter().filter_map(|id| {
            let before = self.threads.get(&id).unwrap_or(&nothing);
            let now = present.threads.get(&id);
            changed_thread(id, before, now)
        });
        Snapshot {
            threads: threads.collect(),
            shared: changed_values(&self.shared, &present.shared),
            cause: complete.cause.clone(),
            ..*complete
        }
    }

    /// Takes the values of a complete snapshot, whose changes have been written, as the state to compare with.
    pub fn remember(&mut self, complete: &Snapshot) {
        *self = Self::of(complete);
    }

    fn of(complete: &Snapshot) -> Self {
        let mut threads: BTreeMap<ThreadId, ThreadValues> = BTreeMap::new();
        for thread in &complete.threads {
            threads.entry(thread.thread).or_default().take(thread);
        }
        Self {
            threads,
            shared: non_zero(&complete.shared).collect(),
        }
    }
}

impl ThreadValues {
    fn take(&mut self, thread: &ThreadCounts) {
        self.vm_allocated_bytes = thread.vm_allocated_bytes.or(self.vm_allocated_bytes);
        self.counters.extend(non_zero(&thread.counters));
        for keyed in thread
            .keyed
            .iter()
            .filter(|keyed| (keyed.count, keyed.bytes) != (0, 0))
        {
            let key = (keyed.site, keyed.context, keyed.ty.clone());
            self.keyed.insert(key, (keyed.count, keyed.bytes));
        }
    }
}

fn non_zero(values: &[(CounterId, u64)]) -> impl Iterator<Item = (CounterId, u64)> + '_ {
    values.iter().copied().filter(|(_, value)| *value != 0)
}

/// `None` when nothing changed. `now` is `None` for a thread that is gone: all its values are 0.
fn changed_thread(
    id: ThreadId,
    before: &ThreadValues,
    now: Option<&ThreadValues>,
) -> Option<ThreadCounts> {
    let gone = ThreadValues {
        vm_allocated_bytes: before.vm_allocated_bytes.map(|_| 0),
        ..ThreadValues::default()
    };
    let now = now.unwrap_or(&gone);
    let changed = ThreadCounts {
        thread: id,
        vm_allocated_bytes: now
            .vm_allocated_bytes
            .filter(|_| now.vm_allocated_bytes != before.vm_allocated_bytes),
        counters: changed_values(&before.counters, &now.counters),
        keyed: changed_keyed(&before.keyed, &now.keyed),
    };
    let empty = changed.vm_allocated_bytes.is_none()
        && changed.counters.is_empty()
        && changed.keyed.is_empty();
    (!empty).then_some(changed)
}

fn changed_values(before: &CounterValues, now: &CounterValues) -> Vec<(CounterId, u64)> {
    changed_keys(before, now)
        .map(|(counter, value)| (*counter, value.copied().unwrap_or(0)))
        .collect()
}

fn changed_keyed(
    before: &BTreeMap<Key, KeyedValue>,
    now: &BTreeMap<Key, KeyedValue>,
) -> Vec<KeyedCount> {
    changed_keys(before, now)
        .map(|((site, context, ty), value)| {
            let (count, bytes) = value.copied().unwrap_or((0, 0));
            KeyedCount {
                site: *site,
                context: *context,
                ty: ty.clone(),
                count,
                bytes,
            }
        })
        .collect()
}

/// Keys whose value differs, with the new value; gone ones last.
fn changed_keys<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    now: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>)> {
    let new = now
        .iter()
        .filter(|(key, value)| before.get(key) != Some(value))
        .map(|(key, value)| (key, Some(value)));
    let gone = before
        .keys()
        .filter(|key| !now.contains_key(key))
        .map(|key| (key, None));
    new.chain(gone)
}
