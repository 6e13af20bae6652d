//! A block in the mapped file goes from a thread that has ended to one that starts, when there is no room for more.
//!
//! ```text
//! 1. the ended thread's values are written to the trace as a folded block     the file's block counts no more
//! 2. they go to the private block of the thread that starts, and its own to the block in the file
//! 3. the block in the file names its new owner and the next generation        the block counts again
//! ```
//!
//! A reader that finds the process killed between two steps finds the ended thread's values in exactly one place: in the block as long as the trace
//! has no folded block of its generation, in the folded block from then on.

use std::sync::atomic::Ordering;

use ducktrack_trace_format::{FoldedBlock, Record, ThreadId};

use super::Core;
use crate::threads::counter_block::{BlockValues, CounterBlock, ROW};
use crate::threads::thread_table::ThreadRow;

/// What a value takes in the trace, about.
const BYTES_OF_VALUE: usize = 12;

impl Core {
    /// The block of a thread that starts: its own if that is in the file, or one that a thread that has ended had there. No thread counts in either yet.
    pub(crate) fn block_in_file(&self, id: ThreadId, block: CounterBlock) -> CounterBlock {
        if !self.blocks.is_full() || self.blocks.number_of(block).is_some() {
            return block;
        }
        let Some((idle, allocated)) = self.threads.lend_idle_in_file() else {
            return block;
        };
        let taken = self.hand_over((&idle, allocated), id, block);
        self.threads.take_back(idle.id);
        taken.unwrap_or(block)
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
        // A snapshot has this lock: it must not find values on their way.
        let _no_snapshot = self.hold_writer();
        block.take_values(&others);
        self.blocks.pass_on(idle.block, id, &own);
        self.threads.exchange(id, idle.id);
        Some(idle.block)
    }

    /// Folded blocks take no more of the trace than blocks may take of memory.
    fn may_fold(&self, values: &BlockValues) -> bool {
        let bytes = (values.counters.len() + 2 * values.keyed.len()) * BYTES_OF_VALUE;
        let before = self.folded_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        before < self.options.mapped_bytes()
    }

    /// The keyed entries of a block have filled half of their table.
    pub(crate) fn grow_keyed(&self, address: usize) {
        if let Err(refusal) = self.blocks.grow_keyed(address) {
            self.say_private_memory(&refusal);
        }
    }
}
