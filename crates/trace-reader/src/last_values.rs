//! The values of a run without an end record: those of its mapped counters, as one more snapshot.
//!
//! ```text
//! values of a thread = those of its block, unless the trace has a folded block of that generation
//!                    | those of its last folded block
//! executions of a context = those of its folded blocks, and of the blocks that count
//! ```
//!
//! The counters are read before the trace. So everything that they count is defined in the trace by then, and a block that is folded
//! meanwhile has its record there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ducktrack_trace_format::{
    BLOCK_HEADER_WORDS, CallSiteId, ContextExecutions, ContextId, CounterId, FoldedBlock,
    KeyedCount, MissingEnd, Record, SiteId, Snapshot, ThreadCounts, ThreadId,
};

use crate::counter_file::{MappedBlock, MappedCounters};
use crate::process_state::process_state;

/// The type of an object whose class the trace does not name.
const UNKNOWN_TYPE: &str = "L(unknown);";

/// The cause of such a snapshot.
const CAUSE: &str = "mapped";

/// The values that the mapped counters need from the records of a trace.
#[derive(Clone, Debug, Default)]
pub struct CounterContext {
    ended: bool,
    last_sequence: Option<u32>,
    counter_end: usize,
    threads: BTreeSet<ThreadId>,
    class_names: HashMap<u64, String>,
    folded: BTreeMap<ThreadId, ThreadCounts>,
    /// The last generation that was folded, by block.
    folded_generations: HashMap<u64, u32>,
    /// Threads that the trace names once more after their values were folded: they went on in private memory.
    private_again: BTreeSet<ThreadId>,
    /// The executions of contexts in the last snapshot, and those in folded blocks.
    executions: BTreeMap<ContextId, ContextExecutions>,
    folded_executions: BTreeMap<ContextId, ContextExecutions>,
}

impl CounterContext {
    /// Notes the next record of the trace.
    pub fn note(&mut self, record: &Record) {
        match record {
            Record::End(_) => self.ended = true,
            Record::Snapshot(snapshot) => {
                self.last_sequence = self.last_sequence.max(Some(snapshot.sequence));
                for counts in &snapshot.threads {
                    if let Some(folded) = self.folded.get_mut(&counts.thread) {
                        bring_up_to(folded, counts);
                    }
                }
            }
            Record::ContextExecutions(executions) => {
                self.executions
                    .insert(executions.context, executions.clone());
            }
            Record::FoldedExecutions(executions) => {
                self.folded_executions
                    .insert(executions.context, executions.clone());
            }
            Record::Counter(counter) => {
                self.counter_end = self.counter_end.max(counter.id.0 as usize + 1);
            }
            Record::Thread(thread) => {
                self.threads.insert(thread.id);
                if self.folded.contains_key(&thread.id) {
                    self.private_again.insert(thread.id);
                }
            }
            Record::ClassAddress(class) => {
                self.class_names
                    .insert(class.klass, class.descriptor.clone());
            }
            Record::FoldedBlock(folded) => self.fold(folded),
            _ => {}
        }
    }

    fn fold(&mut self, folded: &FoldedBlock) {
        self.private_again.remove(&folded.counts.thread);
        self.folded
            .insert(folded.counts.thread, folded.counts.clone());
        self.folded_generations
            .insert(folded.block.into(), folded.generation);
    }

    /// True after the trace's end record: the trace is complete then.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the block's values count: its current generation was not folded.
    fn counts(&self, block: &MappedBlock) -> bool {
        let folded = self.folded_generations.get(&block.number);
        folded.is_none_or(|generation| *generation < block.owner.generation)
    }

    /// The values as a snapshot; `None` if there are no counter blocks.
    pub fn snapshot(&self, counters: &MappedCounters) -> Option<Snapshot> {
        if counters.blocks.is_empty() {
            return None;
        }
        let mut threads: BTreeMap<ThreadId, ThreadValues> = BTreeMap::new();
        for block in self.blocks(counters) {
            let values = threads.entry(block.owner.thread).or_default();
            values.add(block, |klass| self.class_name(klass));
        }
        for counts in self.folded(counters) {
            threads.insert(counts.thread, ThreadValues::of(counts));
        }
        let shared = threads.remove(&ThreadId(0)).unwrap_or_default();
        Some(Snapshot {
            sequence: self.last_sequence.map_or(0, |last| last.saturating_add(1)),
            unix_millis: counters.looked_at_unix_millis,
            cause: CAUSE.to_owned(),
            threads: threads
                .into_iter()
                .map(|(id, values)| values.counts(id))
                .collect(),
            shared: shared.counters.into_iter().collect(),
            vm_allocated_bytes: Some(counters.vm_bytes),
            before_ready_bytes: Some(counters.before_ready_bytes),
            cost: counters.cost,
            more: false,
        })
    }

    /// The executions of all contexts, of which the snapshots may know fewer.
    pub fn executions(&self, counters: &MappedCounters) -> Vec<ContextExecutions> {
        let mut sums = self.folded_executions.clone();
        let blocks = self.blocks(counters);
        for block in blocks.filter_map(|block| block.executions.as_ref()) {
            let sum = sums
                .entry(block.context)
                .or_insert_with(|| ContextExecutions {
                    context: block.context,
                    executions: 0,
                    bytes: 0,
                    buckets: Vec::new(),
                    largest: None,
                    objects: None,
                });
            add_block(sum, block);
        }
        let in_snapshot = |sum: &ContextExecutions| {
            let known = self.executions.get(&sum.context);
            known.map_or(0, |known| known.executions)
        };
        let sums = sums.into_values();
        sums.filter(|sum| sum.executions > in_snapshot(sum))
            .collect()
    }

    /// The blocks whose values count.
    pub fn blocks<'a>(
        &'a self,
        counters: &'a MappedCounters,
    ) -> impl Iterator<Item = &'a MappedBlock> {
        counters.blocks.iter().filter(|block| self.counts(block))
    }

    /// The values of threads that own none of these blocks.
    pub fn folded(&self, counters: &MappedCounters) -> impl Iterator<Item = &ThreadCounts> {
        let owners = self.blocks(counters).map(|block| block.owner.thread);
        let owners: BTreeSet<ThreadId> = owners.collect();
        let folded = self.folded.values();
        folded.filter(move |counts| !owners.contains(&counts.thread))
    }

    /// The name of the class at this address in a keyed entry.
    pub fn class_name(&self, klass: u64) -> &str {
        self.class_names
            .get(&klass)
            .map_or(UNKNOWN_TYPE, String::as_str)
    }

    /// The threads of the trace that are not among these.
    pub(crate) fn threads_besides(&self, these: &BTreeSet<ThreadId>) -> Vec<ThreadId> {
        self.threads.difference(these).copied().collect()
    }

    /// How far the run got.
    pub fn unended(&self, counters: &MappedCounters) -> MissingEnd {
        let owners = counters.blocks.iter().map(|block| block.owner.thread);
        let folded = self.folded.keys().copied();
        let folded = folded.filter(|thread| !self.private_again.contains(thread));
        let kept: BTreeSet<ThreadId> = owners.chain(folded).collect();
        let has_counters = !counters.blocks.is_empty();
        let is_short =
            |block: &&MappedBlock| block.keyed_private || block.counters.len() < self.counter_end;
        let private = self.threads.difference(&kept).filter(|_| has_counters);
        let short = counters.blocks.iter().filter(is_short);
        MissingEnd {
            process: process_state(counters),
            pid: counters.pid,
            looked_at_unix_millis: counters.looked_at_unix_millis,
            vm_ended: counters.vm_ended,
            write_error: counters.write_error,
            has_counters,
            private_threads: private.copied().collect(),
            partly_private_threads: short.map(|block| block.owner.thread).collect(),
        }
    }
}

/// Sets the values that a later snapshot names.
fn bring_up_to(folded: &mut ThreadCounts, later: &ThreadCounts) {
    let mut values = ThreadValues::of(folded);
    let later = ThreadValues::of(&ThreadCounts {
        vm_allocated_bytes: later.vm_allocated_bytes.or(folded.vm_allocated_bytes),
        ..later.clone()
    });
    values.vm_bytes = later.vm_bytes;
    values.counters.extend(later.counters);
    values.keyed.extend(later.keyed);
    *folded = values.counts(folded.thread);
}

/// Adds what has ended in a block. Of a largest execution that no record has, only the bytes are known.
fn add_block(sum: &mut ContextExecutions, block: &ContextExecutions) {
    sum.executions += block.executions;
    sum.bytes = sum.bytes.wrapping_add(block.bytes);
    add_buckets(&mut sum.buckets, &block.buckets);
    if let Some(objects) = &block.objects {
        let sum = sum.objects.get_or_insert_default();
        sum.sum = sum.sum.wrapping_add(objects.sum);
        sum.most = sum.most.max(objects.most);
        add_buckets(&mut sum.buckets, &objects.buckets);
    }
    let bytes = |sum: &ContextExecutions| sum.largest.as_ref().map_or(0, |largest| largest.bytes);
    if bytes(block) > bytes(sum) {
        sum.largest.clone_from(&block.largest);
    }
}

fn add_buckets(sum: &mut Vec<(u16, u64)>, more: &[(u16, u64)]) {
    let mut buckets: BTreeMap<u16, u64> = sum.drain(..).collect();
    for (bucket, count) in more {
        *buckets.entry(*bucket).or_default() += count;
    }
    *sum = buckets.into_iter().collect();
}

/// Site, caller to blame, type of the object.
type Key = (SiteId, Option<CallSiteId>, Option<String>);

/// The summed values of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadValues {
    vm_bytes: u64,
    counters: BTreeMap<CounterId, u64>,
    keyed: BTreeMap<Key, (u64, u64)>,
}

impl ThreadValues {
    fn of(counts: &ThreadCounts) -> Self {
        let keyed = counts.keyed.iter().map(|keyed| {
            let key = (keyed.site, keyed.context, keyed.ty.clone());
            (key, (keyed.count, keyed.bytes))
        });
        Self {
            vm_bytes: counts.vm_allocated_bytes.unwrap_or(0),
            counters: counts.counters.iter().copied().collect(),
            keyed: keyed.collect(),
        }
    }

    fn add<'a>(&mut self, block: &MappedBlock, class_name: impl Fn(u64) -> &'a str) {
        self.vm_bytes = self.vm_bytes.max(block.vm_bytes);
        for (id, value) in (0..).zip(&block.counters).skip(BLOCK_HEADER_WORDS) {
            if *value != 0 {
                let sum = self.counters.entry(CounterId(id)).or_default();
                *sum = sum.wrapping_add(*value);
            }
        }
        for entry in &block.keyed {
            let key = (
                entry.site,
                entry.caller,
                entry.klass.map(|klass| class_name(klass).to_owned()),
            );
            let sum = self.keyed.entry(key).or_default();
            sum.0 = sum.0.wrapping_add(entry.count);
            sum.1 = sum.1.wrapping_add(entry.bytes);
        }
    }

    fn counts(self, thread: ThreadId) -> ThreadCounts {
        let keyed = self.keyed.into_iter();
        ThreadCounts {
            thread,
            vm_allocated_bytes: Some(self.vm_bytes),
            counters: self.counters.into_iter().collect(),
            keyed: keyed
                .map(|((site, context, ty), (count, bytes))| KeyedCount {
                    site,
                    context,
                    ty,
                    count,
                    bytes,
                })
                .collect(),
        }
    }
}
