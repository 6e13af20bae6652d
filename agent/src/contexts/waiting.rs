//! Virtual threads that wait in contexts. Their blocks serve other threads meanwhile.
//!
//! ```text
//! unmount   innermost context first: note, bytes so far, skipped ones; the carrier counts in its own block again
//! mount     outermost first: any idle block of the combination
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_class_rewriter::ThreadTotals;
use ducktrack_probe_vocabulary::block_word::{
    CONTEXT, CONTEXT_BEFORE, CONTEXT_DEPTH, CONTEXT_FLOOR, CONTEXT_FLOOR_SKIPPED, CONTEXT_MEASURED,
    CONTEXT_OUTER, CONTEXT_SKIPPED, CONTEXT_START, CONTEXT_THREAD, CONTEXT_VM_BYTES, NOTE,
    OBJECTS_BEFORE, OBJECTS_START, OPEN_CALLS_BEFORE, TOTAL_OBJECTS,
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{Contexts, Skip};
use crate::core::Core;
use crate::threads::counter_block::{CONTEXT_IS_CARRIED, CONTEXT_OF_VIRTUAL_THREAD, CounterBlock};

/// Threads that can wait in contexts at once.
const MOST_WAITING: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Waiting {
    threads: Mutex<FxHashMap<i64, WaitingThread>>,
    count: AtomicU64,
}

/// What a thread takes with it.
#[derive(Default)]
struct WaitingThread {
    /// Skipped outside of all its contexts.
    skipped: u64,
    /// Its open measurements outside of all contexts.
    measured: u64,
    note: u64,
    /// The innermost first.
    contexts: Vec<WaitingContext>,
}

struct WaitingContext {
    combination: u32,
    bytes: u64,
    objects: u64,
    skipped: u64,
    measured: u64,
    /// [`CONTEXT_IS_CARRIED`] or 0.
    carried: u64,
}

impl Waiting {
    pub(super) fn count_address(&self) -> usize {
        self.count.as_ptr() as usize
    }

    pub(super) fn forget(&self) {
        let mut threads = self.threads.lock();
        threads.clear();
        self.count.store(0, Ordering::Release);
    }

    fn put(&self, id: i64, thread: WaitingThread) -> bool {
        let mut threads = self.threads.lock();
        let has_room = threads.len() < MOST_WAITING;
        if has_room {
            threads.insert(id, thread);
            self.count.store(threads.len() as u64, Ordering::Release);
        }
        has_room
    }

    fn take(&self, id: i64) -> Option<WaitingThread> {
        let mut threads = self.threads.lock();
        let found = threads.remove(&id);
        self.count.store(threads.len() as u64, Ordering::Release);
        found
    }
}

impl Contexts {
    /// The virtual thread on a carrier waits; 0: it has ended. Returns the carrier's slot.
    pub(crate) fn depart(&self, core: &Core, thread: i64, slot: i64, allocated: u64) -> i64 {
        let (mut slot, mut leaves) = (slot, WaitingThread::default());
        let mut innermost = None;
        while let Some(block) = core.shared.of_slot(slot) {
            let combination = block.word(CONTEXT) as u32;
            let of_virtual = block.word(CONTEXT_THREAD) & CONTEXT_OF_VIRTUAL_THREAD;
            if combination == 0 || of_virtual == 0 {
                break;
            }
            innermost.get_or_insert(block.word(NOTE));
            let outer = block.word(CONTEXT_OUTER).cast_signed();
            leaves
                .contexts
                .push(interrupt(core, block, outer, allocated));
            self.give_back(combination, slot);
            slot = outer;
        }
        if let Some(base) = core.shared.of_slot(slot) {
            leaves.skipped = base.word(CONTEXT_SKIPPED);
            if base.word(CONTEXT_FLOOR) != 0 {
                leaves.skipped = leaves
                    .skipped
                    .saturating_sub(base.word(CONTEXT_FLOOR_SKIPPED));
                base.set_word(CONTEXT_SKIPPED, base.word(CONTEXT_FLOOR_SKIPPED));
                base.set_word(CONTEXT_FLOOR, 0);
            } else {
                base.set_word(CONTEXT_SKIPPED, 0);
                leaves.measured = base.word(CONTEXT_MEASURED);
                base.set_word(CONTEXT_MEASURED, 0);
            }
        }
        if thread == 0 {
            // One that has ended has left them by itself.
            leaves
                .contexts
                .iter()
                .for_each(|_| self.skips.add(Skip::Arrival));
        }
        leaves.note = innermost.unwrap_or(0);
        let is_empty = leaves.contexts.is_empty() && leaves.skipped == 0 && leaves.measured == 0;
        if thread != 0 && !is_empty && !self.waiting.put(thread, leaves) {
            self.skips.add(Skip::Waiting);
        }
        slot
    }

    /// A virtual thread goes on, on a carrier with this slot; returns the new one.
    pub(crate) fn arrive(
        &self,
        core: &Core,
        thread: i64,
        slot: i64,
        (allocated, native): (u64, u64),
    ) -> i64 {
        let Some(comes) = self.waiting.take(thread) else {
            return slot;
        };
        let mut slot = slot;
        add_to(core, slot, CONTEXT_SKIPPED, comes.skipped);
        if let Some(base) = core.shared.of_slot(slot).filter(|_| comes.measured != 0) {
            base.set_word(CONTEXT_MEASURED, comes.measured);
        }
        let has_contexts = !comes.contexts.is_empty();
        for context in comes.contexts.iter().rev() {
            let inner = self.lease(core, context.combination);
            let blocks = core.shared.of_slot(slot).zip(core.shared.of_slot(inner));
            let Some((outer, block)) = blocks else {
                // It ends later than those that it has inside, which are skipped, too.
                add_to(core, slot, CONTEXT_SKIPPED, context.skipped + 1);
                continue;
            };
            block.set_word(CONTEXT_OUTER, slot.cast_unsigned());
            block.set_word(CONTEXT_DEPTH, outer.word(CONTEXT_DEPTH) + 1);
            block.set_word(CONTEXT_SKIPPED, context.skipped);
            block.set_word(CONTEXT_MEASURED, context.measured);
            block.set_word(CONTEXT_START, allocated);
            block.set_word(CONTEXT_BEFORE, context.bytes);
            let flags = context.carried | CONTEXT_OF_VIRTUAL_THREAD;
            block.set_word(CONTEXT_THREAD, native | flags);
            copy_totals(core, outer, block);
            block.set_word(OBJECTS_START, block.word(TOTAL_OBJECTS));
            block.set_word(OBJECTS_BEFORE, context.objects);
            slot = inner;
        }
        if let Some(block) = core.shared.of_slot(slot).filter(|_| has_contexts) {
            block.set_word(NOTE, comes.note);
        }
        slot
    }
}

/// Takes an execution out of its block; its bytes until now are accounted for.
fn interrupt(core: &Core, block: CounterBlock, outer: i64, allocated: u64) -> WaitingContext {
    let bytes = allocated.wrapping_sub(block.word(CONTEXT_START));
    let objects = block
        .word(TOTAL_OBJECTS)
        .wrapping_sub(block.word(OBJECTS_START));
    let waiting = WaitingContext {
        combination: block.word(CONTEXT) as u32,
        bytes: block.word(CONTEXT_BEFORE).wrapping_add(bytes),
        objects: block.word(OBJECTS_BEFORE).wrapping_add(objects),
        skipped: block.word(CONTEXT_SKIPPED),
        measured: block.word(CONTEXT_MEASURED),
        carried: block.word(CONTEXT_THREAD) & CONTEXT_IS_CARRIED,
    };
    block.set_word(
        CONTEXT_VM_BYTES,
        block.word(CONTEXT_VM_BYTES).wrapping_add(bytes),
    );
    for word in [CONTEXT_SKIPPED, CONTEXT_MEASURED, CONTEXT_THREAD] {
        block.set_word(word, 0);
    }
    if let Some(outer) = core.shared.of_slot(outer) {
        outer.set_word(
            CONTEXT_VM_BYTES,
            outer.word(CONTEXT_VM_BYTES).wrapping_sub(bytes),
        );
        copy_totals(core, block, outer);
    }
    waiting
}

/// The thread's totals and open calls, where they are kept.
fn copy_totals(core: &Core, from: CounterBlock, to: CounterBlock) {
    if core.needs.rewriting.totals != ThreadTotals::None {
        for word in TOTAL_OBJECTS..=OPEN_CALLS_BEFORE {
            to.set_word(word, from.word(word));
        }
    }
}

fn add_to(core: &Core, slot: i64, word: usize, amount: u64) {
    if let Some(block) = core.shared.of_slot(slot).filter(|_| amount != 0) {
        block.set_word(word, block.word(word) + amount);
    }
}
