//! The values of a running program from the snapshots in its trace. Each snapshot names what changed since the previous one.

use ducktrack_trace_format::{
    CallSiteId, CounterId, KeyedCount, SiteId, Snapshot, ThreadCounts, ThreadId,
};
use rustc_hash::FxHashMap;

/// Site, caller and type.
type Key = (SiteId, Option<CallSiteId>, Option<String>);

/// The values of one thread; thread 0 is the memory that threads share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidThread {
    pub(crate) counters: FxHashMap<CounterId, u64>,
    pub(crate) keyed: FxHashMap<Key, (u64, u64)>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidValues {
    pub(crate) threads: FxHashMap<ThreadId, SaidThread>,
}

impl SaidValues {
    /// Takes a snapshot or a part of one. Values only grow, so a part that comes before the others does no harm.
    pub(crate) fn take(&mut self, snapshot: &Snapshot) {
        let shared = self.threads.entry(ThreadId(0)).or_default();
        shared.counters.extend(snapshot.shared.iter().copied());
        snapshot.threads.iter().for_each(|one| self.thread(one));
    }

    /// No snapshot was read yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    fn thread(&mut self, counts: &ThreadCounts) {
        let thread = self.threads.entry(counts.thread).or_default();
        thread.counters.extend(counts.counters.iter().copied());
        let keyed = counts.keyed.iter().map(|one: &KeyedCount| {
            let key = (one.site, one.context, one.ty.clone());
            (key, (one.count, one.bytes))
        });
        thread.keyed.extend(keyed);
    }
}
