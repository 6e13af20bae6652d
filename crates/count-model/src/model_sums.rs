//! Fills the rows of a model from the values of the last snapshot.
//!
//! For each thread and site: objects are what counters say plus keyed counts; bytes are the site's fixed size times
//! the objects, or else the values of byte counters, plus keyed bytes. Objects without a known size have a count of their own.

use std::sync::Arc;

use ducktrack_trace_format::{SiteId, ThreadId};
use rustc_hash::FxHashMap;

use crate::counter_sums::{CountedUnits, SiteSums, counted_units, site_sums};
use crate::definitions::Definitions;
use crate::own_objects::is_in_helper;
use crate::row_plan::{FirstUnknown, RowPlan};
use crate::snapshot_state::{Key, SnapshotState, ThreadState};
use crate::{
    CallIndex, Inconsistency, LengthBucket, SiteIndex, SitePart, SiteRow, Tally, ThreadIndex,
    ThreadKind, ThreadPart, ThreadRow,
};

/// The work of adding up; [`ModelSums::finish`] tells what was found on the way.
pub(crate) struct ModelSums<'a> {
    definitions: &'a Definitions,
    plan: RowPlan,
    units: FxHashMap<SiteId, CountedUnits>,
    threads: Vec<ThreadRow>,
    /// Position of each part in its row.
    part_of: FxHashMap<PartKey, usize>,
    shared: Tally,
    one_per_site: i64,
    /// Bytes of byte counters at sites with a fixed size.
    ignored_bytes: FxHashMap<SiteId, i64>,
    /// Objects of the agent itself.
    own: Tally,
    overflows: u64,
    unknown_counters: FirstUnknown,
    unknown_threads: FirstUnknown,
}

type PartKey = (SiteIndex, Option<CallIndex>, Option<Arc<str>>);

/// The filled rows.
pub(crate) struct FilledRows {
    pub(crate) plan: RowPlan,
    pub(crate) threads: Vec<ThreadRow>,
    pub(crate) shared: Tally,
    pub(crate) one_per_site: i64,
    /// Objects of the agent itself, which no row has.
    pub(crate) own: Tally,
    pub(crate) inconsistencies: Vec<Inconsistency>,
}

/// Adds everything up.
pub(crate) fn fill_rows(
    definitions: &Definitions,
    state: &SnapshotState,
    plan: RowPlan,
) -> FilledRows {
    let mut sums = ModelSums {
        definitions,
        plan,
        units: counted_units(definitions),
        threads: Vec::new(),
        part_of: FxHashMap::default(),
        shared: Tally::default(),
        one_per_site: 0,
        ignored_bytes: FxHashMap::default(),
        own: Tally::default(),
        overflows: 0,
        unknown_counters: FirstUnknown::default(),
        unknown_threads: FirstUnknown::default(),
    };
    sums.mark_materialized();
    for (id, thread) in &state.threads {
        sums.add_thread(*id, thread);
    }
    sums.add_shared(state);
    sums.finish()
}

impl ModelSums<'_> {
    /// Sites that measure what reached the heap show it even when nothing did.
    fn mark_materialized(&mut self) {
        let mut sites: Vec<SiteId> = self
            .units
            .iter()
            .filter(|(_, units)| units.materialized)
            .map(|(id, _)| *id)
            .collect();
        sites.sort_unstable();
        for id in sites {
            let index = self.plan.site(id);
            if let Some(row) = self.plan.sites.get_mut(index.get()) {
                row.materialized = Some(Tally::default());
            }
        }
    }

    fn add_thread(&mut self, id: ThreadId, thread: &ThreadState) {
        let silent = thread.vm_allocated_bytes.unwrap_or(0) == 0
            && thread.counters.values().all(|word| *word == 0)
            && thread.keyed.values().all(|value| *value == (0, 0));
        if silent {
            return;
        }
        let known = self.definitions.thread(id);
        if known.is_none() {
            self.unknown_threads.note(id.0);
        }
        let row = ThreadRow {
            name: known.map_or_else(|| format!("{id:?}"), |thread| thread.name.clone()),
            kind: match known {
                Some(thread) if thread.folded => ThreadKind::Folded,
                _ => ThreadKind::Live,
            },
            total: Tally::default(),
            contexts: self.definitions.contexts_of(id),
            vm_allocated_bytes: thread.vm_allocated_bytes,
        };
        let index = self.push_thread(row);
        self.add_counters(index, thread.counters.iter());
        for (key, value) in &thread.keyed {
            self.add_keyed(index, key, *value);
        }
    }

    fn add_shared(&mut self, state: &SnapshotState) {
        if state.shared.values().all(|word| *word == 0) {
            return;
        }
        let index = self.push_thread(ThreadRow {
            name: "shared".to_owned(),
            kind: ThreadKind::Shared,
            total: Tally::default(),
            contexts: Vec::new(),
            vm_allocated_bytes: None,
        });
        self.add_counters(index, state.shared.iter());
        self.shared = self
            .threads
            .last()
            .map_or(Tally::default(), |row| row.total);
    }

    fn push_thread(&mut self, row: ThreadRow) -> ThreadIndex {
        self.threads.push(row);
        ThreadIndex(self.threads.len() - 1)
    }

    fn add_counters<'w>(
        &mut self,
        thread: ThreadIndex,
        words: impl Iterator<Item = (&'w ducktrack_trace_format::CounterId, &'w u64)>,
    ) {
        let sums = site_sums(words, self.definitions, &mut self.unknown_counters);
        let mut sums: Vec<(SiteId, SiteSums)> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|(id, _)| *id);
        for (id, sums) in sums {
            self.add_site_sums(thread, id, &sums);
        }
    }

    fn add_site_sums(&mut self, thread: ThreadIndex, id: SiteId, sums: &SiteSums) {
        let units = self.units.get(&id).copied().unwrap_or_default();
        let size = self.definitions.size(id);
        let count = self.fit(sums.count);
        let counted_bytes = self.fit(sums.bytes);
        let (bytes, unknown) = match size {
            Some(size) => (self.sized(size, count), 0),
            None if units.bytes => (counted_bytes, 0),
            None => (0, count),
        };
        if size.is_some() && counted_bytes != 0 {
            let ignored = self.ignored_bytes.entry(id).or_default();
            *ignored = ignored.saturating_add(counted_bytes);
        }
        let materialized = units.materialized.then(|| self.materialized(size, sums));
        let lengths: Vec<(u8, i64)> = sums
            .lengths
            .iter()
            .map(|(bucket, sum)| (*bucket, self.fit(*sum)))
            .collect();
        if is_in_helper(self.definitions, id) {
            return self.add_own(thread, Tally { count, bytes });
        }
        let index = self.plan.site(id);
        if let Some(row) = self.plan.sites.get_mut(index.get()) {
            row.bytes_unknown = row.bytes_unknown.saturating_add(unknown);
            if let Some(tally) = materialized {
                *row.materialized.get_or_insert_default() += tally;
            }
            add_lengths(row, &lengths);
        }
        self.one_per_site = self.one_per_site.saturating_add(count);
        self.add_one_per_site(index, count);
        self.add_part(thread, index, None, None, Tally { count, bytes });
    }

    fn materialized(&mut self, size: Option<u32>, sums: &SiteSums) -> Tally {
        let count = self.fit(sums.materialized_count);
        let bytes = match size {
            Some(size) if sums.materialized_bytes == 0 => self.sized(size, count),
            _ => self.fit(sums.materialized_bytes),
        };
        Tally { count, bytes }
    }

    fn add_keyed(&mut self, thread: ThreadIndex, key: &Key, value: (u64, u64)) {
        if value == (0, 0) {
            return;
        }
        let (id, context, ty) = key;
        let count = self.fit(i128::from(value.0));
        let (bytes, unknown) = match (value.1, self.definitions.size(*id)) {
            (0, Some(size)) => (self.sized(size, count), 0),
            (0, None) => (0, count),
            (bytes, _) => (self.fit(i128::from(bytes)), 0),
        };
        if is_in_helper(self.definitions, *id) {
            return self.add_own(thread, Tally { count, bytes });
        }
        let index = self.plan.site(*id);
        if let Some(row) = self.plan.sites.get_mut(index.get()) {
            row.bytes_unknown = row.bytes_unknown.saturating_add(unknown);
        }
        let context = context.and_then(|call| self.plan.call(call));
        let ty = ty.as_deref().map(|ty| self.plan.ty(ty));
        self.add_part(thread, index, context, ty, Tally { count, bytes });
    }

    /// Adds objects of the agent. The VM's count for the thread becomes that of the program.
    fn add_own(&mut self, thread: ThreadIndex, tally: Tally) {
        self.own += tally;
        let row = self.threads.get_mut(thread.get());
        if let Some(vm) = row.and_then(|row| row.vm_allocated_bytes.as_mut()) {
            *vm = vm.saturating_sub(u64::try_from(tally.bytes).unwrap_or(0));
        }
    }

    /// Adds to the site, its part, its thread, and the call.
    fn add_part(
        &mut self,
        thread: ThreadIndex,
        site: SiteIndex,
        context: Option<CallIndex>,
        ty: Option<Arc<str>>,
        tally: Tally,
    ) {
        if tally.is_zero() {
            return;
        }
        if let Some(row) = self.plan.sites.get_mut(site.get()) {
            row.total += tally;
            add_to_thread_part(&mut row.threads, thread, tally);
            let ty = ty.or_else(|| row.ty.clone());
            let key = (site, context, ty.clone());
            let at = *self.part_of.entry(key).or_insert(row.parts.len());
            if at == row.parts.len() {
                row.parts.push(SitePart {
                    context,
                    ty,
                    tally: Tally::default(),
                    threads: Vec::new(),
                });
            }
            if let Some(part) = row.parts.get_mut(at) {
                part.tally += tally;
                add_to_thread_part(&mut part.threads, thread, tally);
            }
        }
        if let Some(row) = self.threads.get_mut(thread.get()) {
            row.total += tally;
        }
        if let Some(row) = context.and_then(|call| self.plan.calls.get_mut(call.get())) {
            row.total += tally;
        }
    }

    fn add_one_per_site(&mut self, site: SiteIndex, count: i64) {
        let method = self.plan.sites.get(site.get()).map(|row| row.method);
        if let Some(row) = method.and_then(|method| self.plan.methods.get_mut(method.get())) {
            row.one_per_site = row.one_per_site.saturating_add(count);
        }
    }

    fn sized(&mut self, size: u32, count: i64) -> i64 {
        self.fit(i128::from(size) * i128::from(count))
    }

    /// Brings a sum to 64 bits; what does not fit stays at the limit and is noted.
    fn fit(&mut self, sum: i128) -> i64 {
        i64::try_from(sum).unwrap_or_else(|_| {
            self.overflows += 1;
            if sum < 0 { i64::MIN } else { i64::MAX }
        })
    }

    fn finish(mut self) -> FilledRows {
        for row in &mut self.plan.sites {
            row.parts.retain(|part| !part.tally.is_zero());
            for part in &mut row.parts {
                part.threads.retain(|thread| !thread.tally.is_zero());
            }
            row.threads.retain(|part| !part.tally.is_zero());
            row.lengths.retain(|bucket| bucket.count != 0);
        }
        let inconsistencies = self.inconsistencies();
        FilledRows {
            plan: self.plan,
            threads: self.threads,
            shared: self.shared,
            one_per_site: self.one_per_site,
            own: self.own,
            inconsistencies,
        }
    }

    fn inconsistencies(&self) -> Vec<Inconsistency> {
        let mut ignored: Vec<_> = self
            .ignored_bytes
            .iter()
            .map(|(site, bytes)| (*site, *bytes))
            .collect();
        ignored.sort_unstable();
        let ignored = ignored
            .into_iter()
            .filter(|(_, bytes)| *bytes != 0)
            .map(|(site, bytes)| Inconsistency::SizeAndByteCounters { site, bytes });
        let overflow = (self.overflows > 0).then_some(Inconsistency::Overflow {
            what: "sums of counters",
            times: self.overflows,
        });
        self.plan
            .inconsistencies()
            .into_iter()
            .chain(self.unknown_counters.inconsistency("counter"))
            .chain(self.unknown_threads.inconsistency("thread"))
            .chain(ignored)
            .chain(overflow)
            .collect()
    }
}

fn add_to_thread_part(threads: &mut Vec<ThreadPart>, thread: ThreadIndex, tally: Tally) {
    // Threads are added one after the other, so only the last part can be this thread's.
    match threads.last_mut() {
        Some(part) if part.thread == thread => part.tally += tally,
        _ => threads.push(ThreadPart { thread, tally }),
    }
}

fn add_lengths(row: &mut SiteRow, lengths: &[(u8, i64)]) {
    for &(bucket, count) in lengths {
        match row
            .lengths
            .binary_search_by_key(&bucket, |entry| entry.bucket)
        {
            Ok(at) => {
                if let Some(entry) = row.lengths.get_mut(at) {
                    entry.count = entry.count.saturating_add(count);
                }
            }
            Err(at) => row.lengths.insert(at, LengthBucket { bucket, count }),
        }
    }
}
