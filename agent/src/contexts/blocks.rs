//! Blocks that threads lease while they run in a context. An idle block waits for the next thread in the same
//! combination of contexts; where there are too many of them, one is folded and counts for another combination.

use ducktrack_probe_vocabulary::block_word::{
    CONTEXT, CONTEXT_ENTERED, CONTEXT_EXECUTIONS, CONTEXT_LARGEST,
};
use ducktrack_trace_format::{ContextBlock, ContextId, Record, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{ContextNumber, Names};
use super::{Contexts, Skip};
use crate::core::Core;
use crate::core::folding::Fold;
use crate::core::phase::Phase;
use crate::process::{address_space, memory};
use crate::threads::counter_block::{BLOCK_BYTES, CounterBlock, EVENTS_BYTES};

/// Blocks of all combinations together.
const MOST_BLOCKS: usize = 512;
/// Blocks that are kept although others are idle,
const LEAST_BLOCKS: usize = 64;
/// or as many as take this many bytes, if their threads write every counter.
const BYTES_OF_BLOCKS: usize = 40 << 20;
/// Bytes of a block that a thread writes beside counters and histograms: the header, keyed entries.
const BYTES_BESIDE_COUNTERS: usize = 8 << 10;

#[derive(Default)]
pub(super) struct Blocks {
    leases: Vec<Lease>,
    /// Idle blocks that found no place in the bank, by combination.
    idle: FxHashMap<u32, Vec<i64>>,
    /// Contexts that the trace knows.
    defined: FxHashSet<ContextNumber>,
    /// Rows without a block, by combination.
    rows: FxHashMap<u32, IdleRows>,
    /// The lease from which the next search for a block to fold starts.
    hand: usize,
    /// How many were folded.
    folded: u64,
}

/// A block of a combination.
#[derive(Clone, Copy)]
pub(super) struct Lease {
    pub(super) combination: u32,
    pub(super) block: CounterBlock,
    thread: ThreadId,
    /// Its executions when the search for a block to fold came by.
    executions: u64,
}

/// The rows of a combination that have no block.
#[derive(Default)]
struct IdleRows {
    /// The sums of its folded blocks.
    sums: Option<ThreadId>,
    /// Rows whose values went there, with the number of snapshots until then: the next one says that they have none.
    empty: Vec<(ThreadId, u64)>,
}

impl Blocks {
    /// The blocks of all combinations.
    pub(super) fn leases(&self) -> Vec<Lease> {
        self.leases.clone()
    }

    /// A sentence about folded blocks.
    pub(super) fn note(&self) -> Option<String> {
        (self.folded > 0).then(|| {
            format!(
                "contexts: {} times, the idle block of a combination of contexts was added to sums, and counted for another one.",
                self.folded
            )
        })
    }

    pub(super) fn has_folded(&self) -> bool {
        self.folded > 0
    }

    /// Defines the contexts of a row in the trace.
    fn define(&mut self, core: &Core, names: &Names, thread: ThreadId, combination: u32) {
        let contexts = names.in_effect(combination);
        for context in &contexts {
            if self.defined.insert(*context)
                && let Some(definition) = names.definition(*context)
            {
                core.registry.note(Record::Context(definition));
            }
        }
        core.registry.note(Record::ContextBlock(ContextBlock {
            thread,
            contexts: contexts
                .iter()
                .map(|context| ContextId(context.0))
                .collect(),
        }));
    }

    /// The row with the sums of a combination's folded blocks.
    fn row_of_sums(&mut self, core: &Core, names: &Names, combination: u32) -> ThreadId {
        if let Some(known) = self.rows.get(&combination).and_then(|rows| rows.sums) {
            return known;
        }
        let id = core.threads.id_in_contexts();
        self.define(core, names, id, combination);
        self.rows.entry(combination).or_default().sums = Some(id);
        id
    }

    /// A row of a combination for a block: one that has no values in the trace, or a new one.
    fn row_for_block(&mut self, core: &Core, names: &Names, combination: u32) -> ThreadId {
        let snapshots = core.snapshots.load(std::sync::atomic::Ordering::Relaxed);
        let empty = &mut self.rows.entry(combination).or_default().empty;
        let known = empty.iter().position(|(_, since)| *since < snapshots);
        if let Some(index) = known {
            return empty.swap_remove(index).0;
        }
        let id = core.threads.id_in_contexts();
        self.define(core, names, id, combination);
        id
    }

    /// Whether an idle block should count for another combination rather than a new one be made.
    fn is_many(&self, core: &Core) -> bool {
        let counters = core.registry.counter_end() as usize * 8;
        let most = BYTES_OF_BLOCKS / (counters + BYTES_BESIDE_COUNTERS + histograms(core));
        self.leases.len() >= most.clamp(LEAST_BLOCKS, MOST_BLOCKS) || core.blocks.is_nearly_full()
    }
}

/// Bytes of the histograms of executions in a block.
fn histograms(core: &Core) -> usize {
    match core.options.objects_of_executions {
        true => 2 * EVENTS_BYTES,
        false => EVENTS_BYTES,
    }
}

/// The number of the context whose executions end with a combination.
fn entered(names: &Names, combination: u32) -> u64 {
    let context = names.entered(combination);
    context.map_or(0, |context| context.0.into())
}

impl Contexts {
    /// A block of a combination, as the value of a slot; 0: there is none, which is counted.
    pub(crate) fn lease(&self, core: &Core, combination: u32) -> i64 {
        if combination == 0 {
            return 0;
        }
        // Until then, virtual threads may be mounted without the probes that take their contexts along.
        if core.phase.get() != Phase::Counting {
            self.skips.add(Skip::NotReady);
            return 0;
        }
        let slot = self.find_lease(core, combination);
        if slot.is_none() {
            self.skips.add(Skip::NoBlock);
        }
        slot.unwrap_or(0)
    }

    fn find_lease(&self, core: &Core, combination: u32) -> Option<i64> {
        let mut blocks = self.blocks.lock();
        let waiting = blocks.idle.get_mut(&combination).and_then(Vec::pop);
        if let Some(slot) = waiting.or_else(|| self.take_idle(core, combination)) {
            return Some(slot);
        }
        let has_memory = !core.is_memory_full()
            && !memory::is_short()
            && address_space::has_room_for(BLOCK_BYTES);
        let is_many = !has_memory || blocks.is_many(core);
        drop(blocks);
        let folded = is_many.then(|| self.fold_for(core, combination)).flatten();
        let block = match folded {
            None if has_memory => self.new_block(core, combination)?,
            folded => folded?,
        };
        // The trace knows the block before anything is counted in it.
        core.secure_definitions();
        Some(core.slot_value(block).cast_signed())
    }

    fn new_block(&self, core: &Core, combination: u32) -> Option<CounterBlock> {
        let mut blocks = self.blocks.lock();
        if blocks.leases.len() >= MOST_BLOCKS {
            return None;
        }
        let (thread, block) = core.threads.lease(histograms(core)).ok()?;
        if let Some(refusal) = core.threads.take_refusal() {
            core.say_private_memory(&refusal);
        }
        let names = self.names.lock();
        blocks.define(core, &names, thread, combination);
        blocks.leases.push(Lease {
            combination,
            block,
            thread,
            executions: 0,
        });
        block.set_word(CONTEXT_ENTERED, entered(&names, combination));
        block.set_word(CONTEXT, self.generation() | u64::from(combination));
        Some(block)
    }

    /// Takes an idle block of this recording from the bank.
    fn take_idle(&self, core: &Core, combination: u32) -> Option<i64> {
        let wanted = self.generation() | u64::from(combination);
        std::iter::from_fn(|| self.banks.take(combination)).find(|slot| {
            let block = core.shared.of_slot(*slot);
            block.is_some_and(|block| block.word(CONTEXT) == wanted)
        })
    }

    /// Folds an idle block, which counts for this combination from now on.
    fn fold_for(&self, core: &Core, combination: u32) -> Option<CounterBlock> {
        core.while_values_stay(|writer| {
            let mut blocks = self.blocks.lock();
            let index = self.take_longest_idle(core, &mut blocks)?;
            let names = self.names.lock();
            let before = *blocks.leases.get(index)?;
            let mut executions = self.executions.lock();
            let folded = executions.fold(before.combination, before.block, &names);
            let into = blocks.row_of_sums(core, &names, before.combination);
            let thread = blocks.row_for_block(core, &names, combination);
            let fold = Fold {
                block: before.block,
                from: before.thread,
                into,
                next: thread,
                executions: folded,
            };
            core.fold(fold, writer);
            let entered = entered(&names, combination);
            before.block.set_word(CONTEXT_ENTERED, entered);
            let largest = executions.largest_of(combination, &names);
            before.block.set_word(CONTEXT_LARGEST, largest);
            let word = self.generation() | u64::from(combination);
            before.block.set_word(CONTEXT, word);
            let snapshots = core.snapshots.load(std::sync::atomic::Ordering::Relaxed);
            let rows = blocks.rows.entry(before.combination).or_default();
            rows.empty.push((before.thread, snapshots));
            let lease = blocks.leases.get_mut(index)?;
            lease.combination = combination;
            lease.thread = thread;
            lease.executions = 0;
            blocks.folded += 1;
            Some(before.block)
        })
    }

    /// Takes an idle block in which nothing has been executed since the search came by last; it is the caller's then.
    fn take_longest_idle(&self, core: &Core, blocks: &mut Blocks) -> Option<usize> {
        for _ in 0..2 * blocks.leases.len() {
            let index = blocks.hand;
            blocks.hand = (index + 1) % blocks.leases.len();
            let lease = blocks.leases.get_mut(index)?;
            let executions = lease.block.word(CONTEXT_EXECUTIONS);
            if std::mem::replace(&mut lease.executions, executions) != executions {
                continue;
            }
            let (combination, slot) = (lease.combination, core.slot_value(lease.block));
            let slot = slot.cast_signed();
            if self.banks.take_this(combination, slot) {
                return Some(index);
            }
            let idle = blocks.idle.entry(combination).or_default();
            if let Some(found) = idle.iter().position(|idle| *idle == slot) {
                idle.swap_remove(found);
                return Some(index);
            }
        }
        None
    }

    /// A thread has left a context, and there is no place for the block in the bank where it looked.
    pub(crate) fn give_back(&self, combination: u32, slot: i64) {
        if !self.banks.put(combination, slot) {
            let mut blocks = self.blocks.lock();
            blocks.idle.entry(combination).or_default().push(slot);
        }
    }
}
