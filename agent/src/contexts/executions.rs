//! Executions of contexts: how many, their bytes by the VM's count, and the largest.
//!
//! A block has a histogram, where the place of event buffers is in other modes. Values below 128 have a bucket each; each
//! power of two above has 128 buckets, so no bucket is wider than 1/128 of its values. With `contexts=objects` a second one
//! follows, of the objects of each execution. The sums here are those of all blocks that threads of a context have used.

use ducktrack_probe_vocabulary::block_word::{
    CONTEXT_EXECUTION_BYTES, CONTEXT_EXECUTIONS, OBJECTS_MOST, OBJECTS_OF_EXECUTIONS,
};
use ducktrack_trace_format::{
    ContextExecutions, ContextId, ExecutionObjects, LargestExecution, Record,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{ContextNumber, Names};
use crate::process::clock::unix_millis;
use crate::threads::counter_block::{
    CounterBlock, EVENTS_BYTES, EVENTS_OFFSET, OBJECTS_HISTOGRAM_OFFSET,
};

/// Words of a histogram.
const BUCKETS: usize = EVENTS_BYTES / 8;
/// Letters of a thread's name.
const LONGEST_THREAD: usize = 100;
/// Digits of a trace's id.
const LONGEST_TRACE: usize = 32;

#[derive(Default)]
pub(super) struct Executions {
    /// Of this reading.
    now: FxHashMap<ContextNumber, Sums>,
    /// Of blocks that count for other contexts by now.
    folded: FxHashMap<ContextNumber, Sums>,
    largest: FxHashMap<ContextNumber, LargestExecution>,
    /// Contexts whose largest execution the trace does not have.
    new_largest: FxHashSet<ContextNumber>,
    /// Executions in the trace.
    written: FxHashMap<ContextNumber, u64>,
    /// Their objects are counted, too.
    has_objects: bool,
}

#[derive(Clone, Default)]
struct Sums {
    executions: u64,
    bytes: u64,
    buckets: Buckets,
    /// Objects of all, the most of one, and the histogram.
    objects: (u64, u64, Buckets),
}

type Buckets = FxHashMap<u16, u64>;

impl Sums {
    fn add_block(&mut self, block: CounterBlock, has_objects: bool) {
        self.executions += block.word(CONTEXT_EXECUTIONS);
        self.bytes += block.word(CONTEXT_EXECUTION_BYTES);
        add_histogram(&mut self.buckets, block, EVENTS_OFFSET);
        if has_objects {
            let (sum, most, buckets) = &mut self.objects;
            *sum += block.word(OBJECTS_OF_EXECUTIONS);
            *most = block.word(OBJECTS_MOST).max(*most);
            add_histogram(buckets, block, OBJECTS_HISTOGRAM_OFFSET);
        }
    }

    fn record(
        self,
        context: ContextNumber,
        largest: Option<LargestExecution>,
        has_objects: bool,
    ) -> ContextExecutions {
        let (sum, most, buckets) = self.objects;
        ContextExecutions {
            context: ContextId(context.0),
            executions: self.executions,
            bytes: self.bytes,
            buckets: sorted(self.buckets),
            largest,
            objects: has_objects.then(|| ExecutionObjects {
                sum,
                most,
                buckets: sorted(buckets),
            }),
        }
    }
}

fn add_histogram(buckets: &mut Buckets, block: CounterBlock, offset: usize) {
    for bucket in 0..BUCKETS {
        let count = block.word(offset / 8 + bucket);
        if count > 0 {
            *buckets.entry(bucket as u16).or_default() += count;
        }
    }
}

fn sorted(buckets: Buckets) -> Vec<(u16, u64)> {
    let mut buckets: Vec<(u16, u64)> = buckets.into_iter().collect();
    buckets.sort_unstable();
    buckets
}

impl Executions {
    /// From now on their objects are counted, too, or they are not.
    pub(super) fn set_has_objects(&mut self, has_objects: bool) {
        self.has_objects = has_objects;
    }

    /// Adds the executions of a block to this reading.
    pub(super) fn read(&mut self, combination: u32, block: CounterBlock, names: &Names) {
        if block.word(CONTEXT_EXECUTIONS) == 0 {
            return;
        }
        let Some(context) = names.entered(combination) else {
            return;
        };
        let folded = self.folded.get(&context);
        let sums = self.now.entry(context);
        sums.or_insert_with(|| folded.cloned().unwrap_or_default())
            .add_block(block, self.has_objects);
    }

    /// Keeps the executions of a block that will count for another context; all that are kept of its context so far.
    pub(super) fn fold(
        &mut self,
        combination: u32,
        block: CounterBlock,
        names: &Names,
    ) -> Option<ContextExecutions> {
        let context = names.entered(combination)?;
        let sums = self.folded.entry(context).or_default();
        sums.add_block(block, self.has_objects);
        Some(self.folded_of(context))
    }

    /// Contexts that have had a new largest execution since the last call: what a reader cannot find in the blocks of a killed program.
    pub(super) fn take_largest(&mut self) -> Vec<Record> {
        let mut contexts: Vec<ContextNumber> = self.new_largest.drain().collect();
        contexts.sort_unstable();
        contexts
            .into_iter()
            .map(|context| Record::FoldedExecutions(self.folded_of(context)))
            .collect()
    }

    fn folded_of(&self, context: ContextNumber) -> ContextExecutions {
        let sums = self.folded.get(&context).cloned().unwrap_or_default();
        let largest = self.largest.get(&context).cloned();
        sums.record(context, largest, self.has_objects)
    }

    /// Bytes of the largest execution of a combination's context so far.
    pub(super) fn largest_of(&self, combination: u32, names: &Names) -> u64 {
        let context = names.entered(combination);
        let largest = context.and_then(|context| self.largest.get(&context));
        largest.map_or(0, |largest| largest.bytes)
    }

    /// Adds the contexts that no block counts for any more to this reading.
    fn read_folded(&mut self) {
        for (context, sums) in &self.folded {
            self.now.entry(*context).or_insert_with(|| sums.clone());
        }
    }

    pub(super) fn largest(
        &mut self,
        context: ContextNumber,
        bytes: u64,
        (thread, trace): (&str, Option<String>),
    ) {
        let known = self.largest.get(&context);
        if known.is_none_or(|known| known.bytes < bytes) {
            let execution = LargestExecution {
                bytes,
                unix_millis: unix_millis(),
                thread: thread.chars().take(LONGEST_THREAD).collect(),
                trace: trace.map(|trace| trace.chars().take(LONGEST_TRACE).collect()),
            };
            self.largest.insert(context, execution);
            self.new_largest.insert(context);
        }
    }

    /// The reading, of contexts that have executed since the last one.
    pub(super) fn take_records(&mut self, names: &Names) -> Vec<Record> {
        self.read_folded();
        let mut now: Vec<(ContextNumber, Sums)> = self.now.drain().collect();
        now.sort_unstable_by_key(|(context, _)| *context);
        let mut records = Vec::new();
        for (context, sums) in now {
            let before = self.written.insert(context, sums.executions);
            if before == Some(sums.executions) {
                continue;
            }
            records.extend(names.definition(context).map(Record::Context));
            let largest = self.largest.get(&context).cloned();
            let record = sums.record(context, largest, self.has_objects);
            records.push(Record::ContextExecutions(record));
        }
        records
    }
}
