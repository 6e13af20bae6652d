//! Folds an idle block: its values become sums of a row without a block, and the block counts for other contexts.
//!
//! ```text
//! block of GET /orders ──values──> row of GET /orders without a block     every snapshot has both
//!          └─ cleared, with another row's id: block of GET /carts
//! ```
//!
//! One more block, in which no thread counts, has the values of all folded ones: the sum over the blocks of all threads stays complete.
//!
//! A kill between two snapshots loses nothing: the sums go to the trace before the block is cleared, in one write
//! with the note that its row has nothing left, as for blocks of ended threads ([`super::block_handover`]).

use ducktrack_trace_format::{
    ContextExecutions, FoldedBlock, KeyedCount, Record, ThreadCounts, ThreadId,
};
use ducktrack_trace_writer::CountWriter;

use super::Core;
use crate::threads::counter_block::{BlockValues, CounterBlock};

/// Number and generation of a block for which the file has no room.
const NOT_IN_FILE: (u32, u32) = (u32::MAX, 0);

/// An idle block, and where its values and the block itself go.
pub(crate) struct Fold {
    pub(crate) block: CounterBlock,
    /// The row of the block so far.
    pub(crate) from: ThreadId,
    /// The row of the sums.
    pub(crate) into: ThreadId,
    /// The row that the block counts for from now on.
    pub(crate) next: ThreadId,
    /// The executions of the context that ended in folded blocks, with this one.
    pub(crate) executions: Option<ContextExecutions>,
}

impl Core {
    /// Runs while no snapshot reads values, and no other thread moves any.
    pub(crate) fn while_values_stay<T>(
        &self,
        body: impl FnOnce(&mut Option<CountWriter>) -> T,
    ) -> T {
        body(&mut self.hold_writer())
    }

    /// Moves the values of an idle block to a row without one, and gives the block to another row. Callers keep snapshots away.
    pub(crate) fn fold(&self, fold: Fold, writer: &mut Option<CountWriter>) {
        let Ok(sum) = self.threads.sum_of_folded() else {
            return;
        };
        let (block, next) = (fold.block, fold.next);
        let values = block.values(self.registry.counter_end());
        let vm_bytes = block.context_bytes();
        self.folded.lock().add(fold.into, &values, vm_bytes);
        if self.may_fold(&values) {
            self.note_fold(fold, &values);
            if let Some(writer) = writer {
                self.secure_new_definitions(writer);
            }
        }
        sum.add_values(&values, vm_bytes);
        block.forget_values(&values);
        self.threads.rename(block, next);
        self.blocks.rename(block, next);
    }

    /// The records by which a reader finds the sums of a killed program, if there is a file of counters.
    fn note_fold(&self, fold: Fold, values: &BlockValues) {
        let number = self.blocks.number_of(fold.block);
        let in_private_memory = self.blocks.is_full().then_some(NOT_IN_FILE);
        let Some((block, generation)) = number.or(in_private_memory) else {
            return;
        };
        let sums = self.folded_counts_of(fold.into);
        let nothing = self.counts_of(
            (fold.from, 0),
            values.counters.iter().copied(),
            values.keyed.iter().copied(),
        );
        for counts in sums.into_iter().chain([without_values(nothing)]) {
            self.registry.note(Record::FoldedBlock(FoldedBlock {
                block,
                generation,
                counts,
            }));
        }
        let executions = fold.executions.map(Record::FoldedExecutions);
        if let Some(record) = executions {
            self.registry.note(record);
        }
    }

    /// The sums of rows without a block.
    pub(super) fn folded_counts(&self) -> Vec<ThreadCounts> {
        let rows: Vec<ThreadId> = self.folded.lock().rows().map(|(id, _)| id).collect();
        rows.into_iter()
            .filter_map(|id| self.folded_counts_of(id))
            .collect()
    }

    fn folded_counts_of(&self, id: ThreadId) -> Option<ThreadCounts> {
        let folded = self.folded.lock();
        let row = folded.row(id)?;
        let bytes = u64::try_from(row.vm_bytes).unwrap_or(0);
        Some(self.counts_of((id, bytes), row.counters(), row.keyed()))
    }
}

/// The same counters and keys, all 0.
fn without_values(mut counts: ThreadCounts) -> ThreadCounts {
    for (_, value) in &mut counts.counters {
        *value = 0;
    }
    for KeyedCount { count, bytes, .. } in &mut counts.keyed {
        (*count, *bytes) = (0, 0);
    }
    counts
}
