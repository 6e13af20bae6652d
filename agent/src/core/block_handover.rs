//! Passes a block in the mapped file from an ended thread to a starting one, when the file has no room for more blocks.
//!
//! ```text
//! 1. the ended thread's values are written to the trace as a folded block     the block in the file no longer counts
//! 2. they are copied to the private block of the starting thread, and that block's values to the block in the file
//! 3. the block in the file names its new owner and the next generation        the block counts again
//! ```
//!
//! If the process is killed between two steps, a reader still finds the ended thread's values in exactly one place: in the block until the
//! trace has a folded block of its generation, then in the folded block.

use std::sync::atomic::Ordering;

use ducktrack_trace_format::{FoldedBlock, Record, ThreadId};

use super::Core;
use crate::threads::counter_block::{BlockValues, CounterBlock, ROW};
use crate::threads::thread_table::ThreadRow;

/// Approximate bytes of a value in the trace.
const BYTES_OF_VALUE: usize = 12;

impl Core {
    /// Returns the block for a starting thread: its own if that is in the file, or one in the file that belonged to an ended thread. No
    /// thread counts in either yet.
    pub(crate) fn block_in_file(&self, id: ThreadId, block: CounterBlock) -> CounterBlock {
        if !self.blocks.is_full() || self.blocks.number_of(block).is_some() {
            return block;
        }
        let taken = self.threads.lend_idle_in_file().and_then(|(idle, bytes)| {
            let taken = self.hand_over((&idle, bytes), id, block);
            self.threads.take_back(idle.id);
            taken
        });
        taken.unwrap_or_else(|| {
            self.threads.note_private(id);
            block
        })
    }

    fn hand_over(
        &self,
        (idle, allocated): (&ThreadRow, u64),
        id: ThreadId,
        block: CounterBlock,
    ) -> Option<CounterBlock> {
        let end = self.registry.counter_end();
        let own = block.values(end);
        let others = idle.block.values(end);
        let (number, generation) = self.blocks.number_of(idle.block)?;
        let fits = own.keyed.len() < idle.block.keyed_bytes() / ROW / 2;
        if !fits || !self.may_fold(&others) {
            return None;
        }
        self.registry.note(Record::FoldedBlock(FoldedBlock {
            block: number,
            generation,
            counts: self.thread_counts(idle, allocated, others.counters.iter().copied()),
        }));
        if !self.secure_definitions() {
            return None;
        }
        // A snapshot takes this lock, so it never sees values that are being moved.
        let _no_snapshot = self.hold_writer();
        block.take_values(&others);
        self.blocks.pass_on(idle.block, id, &own);
        self.threads.exchange(id, idle.id);
        Some(idle.block)
    }

    /// Whether another block may be folded: folded blocks must not take more of the trace than blocks may take of memory.
    pub(super) fn may_fold(&self, values: &BlockValues) -> bool {
        let bytes = (values.counters.len() + 2 * values.keyed.len()) * BYTES_OF_VALUE;
        let before = self.folded_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        before < self.options.mapped_bytes()
    }

    /// Grows a block's keyed table, half of which is filled.
    pub(crate) fn grow_keyed(&self, address: usize) {
        if let Err(refusal) = self.blocks.grow_keyed(address) {
            self.say_private_memory(&refusal);
        }
    }
}
