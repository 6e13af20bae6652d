//! Threads and their counter blocks.
//!
//! A block outlives its thread. The next thread whose name folds to the same pattern (`pool-1-thread-7` and `pool-1-thread-8`
//! both to `pool-#-thread-#`) takes it over and counts on: nothing is copied when threads come and go by the thousand, and
//! memory stays bounded by the threads that live at the same time. Where a block has its memory is the business of [`crate::threads::block_store`].

use std::collections::HashMap;
use std::sync::Arc;

use ducktrack_hotspot::{Address, ThreadLayout};
use ducktrack_trace_format::{Record, Thread, ThreadId};
use parking_lot::Mutex;

use crate::process::mapped_file::Refusal;
use crate::threads::block_store::{BlockStore, first_keyed};
use crate::threads::counter_block::CounterBlock;

/// Idle blocks of one name pattern that wait for the next thread; beyond, any thread may take one over.
const MOST_IDLE_PATTERNS: usize = 256;

/// A block and the threads that used it.
#[derive(Clone, Debug)]
pub(crate) struct ThreadRow {
    pub(crate) id: ThreadId,
    pub(crate) block: CounterBlock,
    pub(crate) name: String,
    pattern: String,
    /// The native thread that runs now, if it is known to live until it says that it ends.
    native: Option<usize>,
    /// Bytes that the current thread had allocated when counting was ready.
    before_ready: u64,
    /// Bytes of all threads that ended.
    ended_bytes: u64,
    ended_before_ready: u64,
}

/// All blocks.
pub(crate) struct ThreadTable {
    state: Arc<Mutex<State>>,
    store: Arc<BlockStore>,
}

/// Finds blocks by the numbers of their rows.
pub(crate) struct BlockFinder {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    rows: Vec<ThreadRow>,
    by_native: HashMap<usize, usize>,
    idle: HashMap<String, Vec<usize>>,
    pending: Vec<Record>,
    /// Why blocks are in private memory that should be in the file, until it is asked for.
    refusal: Option<Refusal>,
}

/// What a thread gets.
pub(crate) enum Given {
    /// It has one already.
    Nothing,
    /// This block is its own.
    Block(ThreadId, CounterBlock),
    /// It took this block by itself, before it was known.
    Adopted(CounterBlock),
}

impl BlockFinder {
    pub(crate) fn block(&self, id: ThreadId) -> Option<CounterBlock> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        let state = self.state.lock();
        state.rows.get(index).map(|row| row.block)
    }
}

impl ThreadTable {
    /// A table of no threads, whose blocks come from a store.
    pub(crate) fn new(store: Arc<BlockStore>) -> Self {
        Self {
            state: Arc::default(),
            store,
        }
    }

    /// Why blocks are private that were to be in the file; the last reason since it was asked for.
    pub(crate) fn take_refusal(&self) -> Option<Refusal> {
        self.state.lock().refusal.take()
    }

    /// Gives a thread that has none a block. `allocated` is what the thread had allocated before it counts.
    ///
    /// # Errors
    /// If there is no memory for a block: the thread then counts into the shared block.
    pub(crate) fn start(
        &self,
        native: usize,
        name: &str,
        allocated: u64,
    ) -> Result<Given, ducktrack_hotspot::Error> {
        let mut state = self.state.lock();
        if let Some(index) = state.by_native.get(&native).copied() {
            return Ok(state.known_by_now(index, native, name));
        }
        let Some(index) = state.give_row(&self.store, native, name)? else {
            return Ok(Given::Nothing);
        };
        state.name_row(index, name);
        let Some(row) = state.rows.get_mut(index) else {
            return Ok(Given::Nothing);
        };
        row.native = Some(native);
        row.before_ready = allocated;
        Ok(Given::Block(row.id, row.block))
    }

    /// Gives a block to a thread that runs Java code before it was announced. It may never be: its native thread is not looked at.
    ///
    /// # Errors
    /// If there is no memory for a block.
    pub(crate) fn adopt(
        &self,
        native: usize,
        name: &str,
    ) -> Result<Option<(ThreadId, CounterBlock)>, ducktrack_hotspot::Error> {
        let mut state = self.state.lock();
        if let Some(index) = state.by_native.get(&native).copied() {
            return Ok(state.rows.get(index).map(|row| (row.id, row.block)));
        }
        let index = state.give_row(&self.store, native, name)?;
        Ok(index
            .and_then(|index| state.rows.get(index))
            .map(|row| (row.id, row.block)))
    }

    /// Finds blocks for others.
    pub(crate) fn finder(&self) -> BlockFinder {
        BlockFinder {
            state: Arc::clone(&self.state),
        }
    }

    /// A thread ends; its block waits for the next one. True if it had a block.
    pub(crate) fn end(&self, native: usize, allocated: u64) -> bool {
        let mut state = self.state.lock();
        let Some(index) = state.by_native.remove(&native) else {
            return false;
        };
        let Some(row) = state.rows.get_mut(index) else {
            return false;
        };
        row.native = None;
        row.ended_bytes += allocated.saturating_sub(row.before_ready);
        row.ended_before_ready += row.before_ready;
        row.before_ready = 0;
        let pattern = row.pattern.clone();
        state.idle.entry(pattern).or_default().push(index);
        true
    }

    /// No living thread has a block any more; `leave` takes it from a native thread. False if that did not work for all.
    pub(crate) fn detach(&self, leave: impl Fn(usize) -> bool) -> bool {
        let mut state = self.state.lock();
        let mut all = true;
        // A thread leaves the table in its ThreadEnd event, before its native thread goes away; the table is locked.
        for row in &mut state.rows {
            if let Some(native) = row.native.take() {
                all &= leave(native);
            }
        }
        state.by_native.clear();
        all
    }

    /// Takes what all living threads have allocated by now as allocated before counting was ready.
    pub(crate) fn set_ready(&self, layout: &ThreadLayout) {
        let mut state = self.state.lock();
        for row in &mut state.rows {
            row.ended_before_ready += row.ended_bytes;
            row.ended_bytes = 0;
            if let Some(native) = row.native {
                // SAFETY: a thread leaves the table in its ThreadEnd event, before its native thread goes away; the table is locked.
                row.before_ready = unsafe { layout.cooked_allocated_bytes(Address(native)) };
            }
        }
    }

    /// A thread that has ended and whose block is in the file; it is not given to anybody until it is [taken back](Self::take_back).
    pub(crate) fn lend_idle_in_file(&self) -> Option<(ThreadRow, u64)> {
        let mut state = self.state.lock();
        let State { rows, idle, .. } = &mut *state;
        let in_file = |index: &usize| {
            let row = rows.get(*index);
            row.is_some_and(|row| self.store.number_of(row.block).is_some())
        };
        let (indices, at) = idle.values_mut().find_map(|indices| {
            Some(indices.iter().position(in_file))
                .flatten()
                .map(|at| (indices, at))
        })?;
        let row = rows.get(indices.swap_remove(at))?;
        Some((row.clone(), row.ended_bytes))
    }

    /// An idle thread that was lent waits again for the next thread of its name.
    pub(crate) fn take_back(&self, id: ThreadId) {
        let mut state = self.state.lock();
        let Some(index) = index_of(id) else { return };
        let Some(pattern) = state.rows.get(index).map(|row| row.pattern.clone()) else {
            return;
        };
        state.idle.entry(pattern).or_default().push(index);
    }

    /// Two threads exchange their blocks.
    pub(crate) fn exchange(&self, one: ThreadId, other: ThreadId) {
        let mut state = self.state.lock();
        let (Some(one), Some(other)) = (index_of(one), index_of(other)) else {
            return;
        };
        let block = |state: &State, index: usize| state.rows.get(index).map(|row| row.block);
        let (Some(first), Some(second)) = (block(&state, one), block(&state, other)) else {
            return;
        };
        for (index, block) in [(one, second), (other, first)] {
            if let Some(row) = state.rows.get_mut(index) {
                row.block = block;
            }
        }
    }

    /// Every block with the bytes its threads have allocated since counting was ready.
    pub(crate) fn rows(&self, layout: &ThreadLayout) -> Vec<(ThreadRow, u64)> {
        let state = self.state.lock();
        let allocated = |row: &ThreadRow| match row.native {
            // SAFETY: as in `set_ready`.
            Some(native) => unsafe { layout.cooked_allocated_bytes(Address(native)) }
                .saturating_sub(row.before_ready),
            None => 0,
        };
        state
            .rows
            .iter()
            .map(|row| (row.clone(), row.ended_bytes + allocated(row)))
            .collect()
    }

    /// The block of a native thread.
    pub(crate) fn block_of(&self, native: usize) -> Option<CounterBlock> {
        let state = self.state.lock();
        let index = *state.by_native.get(&native)?;
        state.rows.get(index).map(|row| row.block)
    }

    /// The row of a native thread.
    pub(crate) fn id_of(&self, native: usize) -> Option<ThreadId> {
        let state = self.state.lock();
        let index = *state.by_native.get(&native)?;
        state.rows.get(index).map(|row| row.id)
    }

    /// Bytes allocated before counting was ready.
    pub(crate) fn before_ready_bytes(&self) -> u64 {
        self.state
            .lock()
            .rows
            .iter()
            .map(|row| row.ended_before_ready + row.before_ready)
            .sum()
    }

    /// Thread records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        std::mem::take(&mut self.state.lock().pending)
    }
}

impl State {
    /// A thread that is announced, and has a block already: one that it took by itself, or one that it was given before.
    fn known_by_now(&mut self, index: usize, native: usize, name: &str) -> Given {
        match self.rows.get_mut(index) {
            Some(row) if row.native.is_none() => {
                row.native = Some(native);
                let block = row.block;
                self.name_row(index, name);
                Given::Adopted(block)
            }
            _ => Given::Nothing,
        }
    }

    /// A row has the name of its thread, or the pattern of the names of all its threads.
    fn name_row(&mut self, index: usize, name: &str) {
        let Some(row) = self.rows.get_mut(index) else {
            return;
        };
        let first = row.name.is_empty();
        let label = if first || row.name == name {
            name.to_owned()
        } else {
            fold_digits(name)
        };
        if row.name != label {
            row.name.clone_from(&label);
            self.pending.push(Record::Thread(Thread {
                id: row.id,
                name: label,
                folded: !first,
            }));
        }
    }

    /// A row for a thread that has none.
    fn give_row(
        &mut self,
        store: &BlockStore,
        native: usize,
        name: &str,
    ) -> Result<Option<usize>, ducktrack_hotspot::Error> {
        let pattern = fold_digits(name);
        let index = match self.take_idle(&pattern) {
            Some(index) => index,
            None => self.add_row(store, &pattern)?,
        };
        self.by_native.insert(native, index);
        let Some(row) = self.rows.get_mut(index) else {
            return Ok(None);
        };
        row.block.forget_call_site();
        row.before_ready = 0;
        Ok(Some(index))
    }

    fn take_idle(&mut self, pattern: &str) -> Option<usize> {
        if let Some(index) = self.idle.get_mut(pattern).and_then(Vec::pop) {
            return Some(index);
        }
        if self.idle.len() < MOST_IDLE_PATTERNS {
            return None;
        }
        // Too many names that never come again: their counts are folded together.
        let other = self
            .idle
            .iter()
            .find(|(_, indices)| !indices.is_empty())
            .map(|(name, _)| name.clone())?;
        let index = self.idle.get_mut(&other).and_then(Vec::pop);
        self.idle.retain(|_, indices| !indices.is_empty());
        if let Some(row) = index.and_then(|index| self.rows.get_mut(index)) {
            row.pattern = "(ended threads)".to_owned();
            row.name = "(ended threads)".to_owned();
            self.pending.push(Record::Thread(Thread {
                id: row.id,
                name: row.name.clone(),
                folded: true,
            }));
        }
        index
    }

    fn add_row(
        &mut self,
        store: &BlockStore,
        pattern: &str,
    ) -> Result<usize, ducktrack_hotspot::Error> {
        let block = CounterBlock::new()?;
        let id = ThreadId(u32::try_from(self.rows.len() + 1).unwrap_or(u32::MAX));
        if let Err(refusal) = store.back(block, id, first_keyed()) {
            self.refusal = Some(refusal);
        }
        self.rows.push(ThreadRow {
            id,
            block,
            name: String::new(),
            pattern: pattern.to_owned(),
            native: None,
            before_ready: 0,
            ended_bytes: 0,
            ended_before_ready: 0,
        });
        Ok(self.rows.len() - 1)
    }
}

fn index_of(id: ThreadId) -> Option<usize> {
    usize::try_from(id.0).ok()?.checked_sub(1)
}

/// `pool-1-thread-12` becomes `pool-#-thread-#`.
fn fold_digits(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut in_digits = false;
    for letter in name.chars() {
        if letter.is_ascii_digit() {
            if !in_digits {
                folded.push('#');
            }
            in_digits = true;
        } else {
            folded.push(letter);
            in_digits = false;
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(given: Given) -> CounterBlock {
        match given {
            Given::Block(_, block) => block,
            Given::Nothing | Given::Adopted(_) => panic!("no block"),
        }
    }

    #[test]
    fn digits_fold() {
        assert_eq!(fold_digits("pool-1-thread-12"), "pool-#-thread-#");
        assert_eq!(fold_digits("main"), "main");
    }

    #[test]
    fn a_block_goes_to_the_next_thread_of_its_kind() {
        let table = ThreadTable::new(Arc::new(BlockStore::private()));
        let first = block(table.start(1, "worker-1", 0).expect("memory"));
        let other = block(table.start(2, "worker-2", 0).expect("memory"));
        assert_ne!(first, other);
        assert!(matches!(table.start(1, "worker-1", 0), Ok(Given::Nothing)));
        assert!(table.end(1, 100));
        assert!(!table.end(1, 100));
        assert_eq!(block(table.start(3, "worker-3", 0).expect("memory")), first);
        let names: Vec<String> = table
            .take_pending()
            .into_iter()
            .filter_map(|record| match record {
                Record::Thread(thread) => Some(thread.name),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["worker-1", "worker-2", "worker-#"]);
    }
}
