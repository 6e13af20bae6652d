//! Threads and their counter blocks.
//!
//! A block outlives its thread. The next thread whose name folds to the same pattern (`pool-1-thread-7` and `pool-1-thread-8` both fold to
//! `pool-#-thread-#`) takes over the block and continues to count. So nothing is copied when threads come and go by the thousand, and
//! memory is bounded by the number of simultaneously live threads. [`crate::threads::block_store`] provides the memory of blocks.

use std::collections::HashMap;
use std::sync::Arc;

use ducktrack_hotspot::{Address, ThreadLayout};
use ducktrack_trace_format::{Record, Thread, ThreadId};
use parking_lot::Mutex;

use crate::process::mapped_file::Refusal;
use crate::threads::block_store::{BlockStore, first_keyed};
use crate::threads::counter_block::CounterBlock;
use crate::threads::retired_blocks;

/// Maximum number of name patterns with idle blocks. Beyond it, any thread may take over an idle block.
const MOST_IDLE_PATTERNS: usize = 256;

/// The name of rows whose blocks threads lease while they run in a context.
const IN_CONTEXTS: &str = "(in contexts)";

/// A block and the threads that used it.
#[derive(Clone, Debug)]
pub(crate) struct ThreadRow {
    pub(crate) id: ThreadId,
    pub(crate) block: CounterBlock,
    pub(crate) name: String,
    pattern: String,
    /// The current native thread, if it is known to live until its ThreadEnd event.
    native: Option<usize>,
    /// Bytes that the current thread had allocated when counting began.
    before_ready: u64,
    /// Bytes of all threads that have ended.
    ended_bytes: u64,
    ended_before_ready: u64,
    /// Threads count here while they run in a context; none of them is `native`.
    of_context: bool,
    /// Its values are in the trace as a folded block, and it has another block since.
    was_folded: bool,
    /// It has the values of all blocks that were folded, and no thread.
    is_sum_of_folded: bool,
}

impl ThreadRow {
    fn new(id: ThreadId, block: CounterBlock, pattern: &str) -> Self {
        Self {
            id,
            block,
            name: String::new(),
            pattern: pattern.to_owned(),
            native: None,
            before_ready: 0,
            ended_bytes: 0,
            ended_before_ready: 0,
            of_context: false,
            was_folded: false,
            is_sum_of_folded: false,
        }
    }

    /// Whether it has the values of blocks that count for other contexts by now, which have rows of their own.
    pub(crate) fn is_sum_of_folded(&self) -> bool {
        self.is_sum_of_folded
    }
}

/// All blocks.
pub(crate) struct ThreadTable {
    state: Arc<Mutex<State>>,
    store: Arc<BlockStore>,
}

/// Finds blocks by thread id.
pub(crate) struct BlockFinder {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    rows: Vec<ThreadRow>,
    /// Ids so far: rows change theirs.
    ids: u32,
    by_native: HashMap<usize, usize>,
    idle: HashMap<String, Vec<usize>>,
    /// Native threads whose slots lead to these blocks no more.
    left: Vec<(usize, CounterBlock)>,
    pending: Vec<Record>,
    /// Why a block is in private memory instead of the file, until reported.
    refusal: Option<Refusal>,
}

/// The block of a starting thread.
pub(crate) enum AssignedBlock {
    /// It already has one.
    Nothing,
    /// A block of its own.
    Block(ThreadId, CounterBlock),
    /// A block that it took itself before it was announced.
    Adopted(CounterBlock),
}

impl BlockFinder {
    pub(crate) fn block(&self, id: ThreadId) -> Option<CounterBlock> {
        let state = self.state.lock();
        state.rows.get(state.index_of(id)?).map(|row| row.block)
    }
}

impl ThreadTable {
    /// An empty table, whose blocks come from `store`.
    pub(crate) fn new(store: Arc<BlockStore>) -> Self {
        Self {
            state: Arc::default(),
            store,
        }
    }

    /// Takes the last reason why blocks are in private memory instead of the file.
    pub(crate) fn take_refusal(&self) -> Option<Refusal> {
        self.state.lock().refusal.take()
    }

    /// Gives a block to a starting thread that has none. `allocated` is what the thread had allocated before it counts.
    ///
    /// # Errors
    /// If there is no memory for a block. The thread then counts into the shared block.
    pub(crate) fn start(
        &self,
        native: usize,
        name: &str,
        allocated: u64,
    ) -> Result<AssignedBlock, ducktrack_hotspot::Error> {
        let mut state = self.state.lock();
        if let Some(index) = state.by_native.get(&native).copied() {
            return Ok(state.assigned_before(index, native, name));
        }
        let Some(index) = state.give_row(&self.store, native, name)? else {
            return Ok(AssignedBlock::Nothing);
        };
        state.name_row(index, name);
        let Some(row) = state.rows.get_mut(index) else {
            return Ok(AssignedBlock::Nothing);
        };
        row.native = Some(native);
        row.before_ready = allocated;
        Ok(AssignedBlock::Block(row.id, row.block))
    }

    /// Gives a block to a thread that runs Java code before it is announced. It may never be announced, so its native thread is not read.
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
        let State { rows, pending, .. } = &mut *state;
        let Some(row) = index.and_then(|index| rows.get(index)) else {
            return Ok(None);
        };
        if row.name.is_empty() {
            // It has events from now on, and may never get its own name.
            pending.push(Record::Thread(Thread {
                id: row.id,
                name: name.to_owned(),
                folded: false,
            }));
        }
        Ok(Some((row.id, row.block)))
    }

    /// A block for threads while they run in a context, and the id of its row. `histograms`: bytes of the block's histograms.
    ///
    /// # Errors
    /// If there is no memory for a block.
    pub(crate) fn lease(
        &self,
        histograms: usize,
    ) -> Result<(ThreadId, CounterBlock), ducktrack_hotspot::Error> {
        let mut state = self.state.lock();
        let index = state.add_row(&self.store, None, IN_CONTEXTS)?;
        let block = state.rows.get(index).map(|row| row.block);
        let backed = block.map(|block| self.store.back_histograms(block, histograms));
        if let Some(Err(refusal)) = backed {
            state.refusal = Some(refusal);
        }
        let State { rows, pending, .. } = &mut *state;
        let Some(row) = rows.get_mut(index) else {
            return Ok((ThreadId(0), CounterBlock::new()?));
        };
        row.name = IN_CONTEXTS.to_owned();
        row.of_context = true;
        pending.push(Record::Thread(Thread {
            id: row.id,
            name: row.name.clone(),
            folded: true,
        }));
        Ok((row.id, row.block))
    }

    /// An id for a row of contexts.
    pub(crate) fn id_in_contexts(&self) -> ThreadId {
        let mut state = self.state.lock();
        let id = state.next_id();
        state.pending.push(Record::Thread(Thread {
            id,
            name: IN_CONTEXTS.to_owned(),
            folded: true,
        }));
        id
    }

    /// The row with this block has another id from now on.
    pub(crate) fn rename(&self, block: CounterBlock, id: ThreadId) {
        let mut state = self.state.lock();
        let row = state.rows.iter_mut().find(|row| row.block == block);
        if let Some(row) = row {
            row.id = id;
        }
    }

    /// The block that has the values of all folded ones.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(crate) fn sum_of_folded(&self) -> Result<CounterBlock, ducktrack_hotspot::Error> {
        let mut state = self.state.lock();
        let known = state.rows.iter().find(|row| row.is_sum_of_folded);
        if let Some(row) = known {
            return Ok(row.block);
        }
        let block = CounterBlock::new()?;
        let id = state.next_id();
        let row = ThreadRow::new(id, block, IN_CONTEXTS);
        state.rows.push(ThreadRow {
            is_sum_of_folded: true,
            ..row
        });
        Ok(block)
    }

    /// A finder for blocks, for other parts of the agent.
    pub(crate) fn finder(&self) -> BlockFinder {
        BlockFinder {
            state: Arc::clone(&self.state),
        }
    }

    /// Ends a thread; its block waits for the next one. Returns whether it had a block.
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

    /// Takes all blocks from living threads; `leave` resets the slot of a native thread. Returns false if that failed for some thread.
    pub(crate) fn detach(&self, leave: impl Fn(usize) -> bool) -> bool {
        let mut state = self.state.lock();
        let mut all = true;
        // A thread leaves the table in its ThreadEnd event, before its native thread is freed. The table is locked.
        let State { rows, left, .. } = &mut *state;
        for row in rows {
            if let Some(native) = row.native.take() {
                let has_left = leave(native);
                left.extend(has_left.then_some((native, row.block)));
                all &= has_left;
            }
        }
        state.by_native.clear();
        all
    }

    /// Gives the blocks of threads that have left them, or have ended, to the next recording. The store has given them back.
    pub(crate) fn retire_blocks(&self) {
        let mut state = self.state.lock();
        for (native, block) in std::mem::take(&mut state.left) {
            retired_blocks::keep(Some(native), block);
        }
        let idle = std::mem::take(&mut state.idle);
        for index in idle.into_values().flatten() {
            if let Some(row) = state.rows.get(index) {
                retired_blocks::keep(None, row.block);
            }
        }
    }

    /// Counts what all living threads have allocated so far as allocated before counting began.
    pub(crate) fn set_ready(&self, layout: &ThreadLayout) {
        let mut state = self.state.lock();
        for row in &mut state.rows {
            row.ended_before_ready += row.ended_bytes;
            row.ended_bytes = 0;
            if let Some(native) = row.native {
                // SAFETY: a thread leaves the table in its ThreadEnd event, before its native thread is freed; the table is locked.
                row.before_ready = unsafe { layout.cooked_allocated_bytes(Address(native)) };
            }
        }
    }

    /// Lends an ended thread whose block is in the file. It is not reused until it is [taken back](Self::take_back).
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

    /// Takes back a lent thread, which waits again for the next thread of its name.
    pub(crate) fn take_back(&self, id: ThreadId) {
        let mut state = self.state.lock();
        let Some(index) = state.index_of(id) else {
            return;
        };
        let Some(pattern) = state.rows.get(index).map(|row| row.pattern.clone()) else {
            return;
        };
        state.idle.entry(pattern).or_default().push(index);
    }

    /// Gives a thread the block of another one, whose values are in the trace as a folded block, and that one its own.
    pub(crate) fn exchange(&self, thread: ThreadId, folded: ThreadId) {
        let mut state = self.state.lock();
        let (Some(one), Some(other)) = (state.index_of(thread), state.index_of(folded)) else {
            return;
        };
        let block = |state: &State, index: usize| state.rows.get(index).map(|row| row.block);
        let (Some(first), Some(second)) = (block(&state, one), block(&state, other)) else {
            return;
        };
        for (index, block, was_folded) in [(one, second, false), (other, first, true)] {
            if let Some(row) = state.rows.get_mut(index) {
                row.block = block;
                row.was_folded = was_folded;
            }
        }
    }

    /// A thread counts in private memory. If its values were folded before, the trace says
    /// so with one more record of the thread: what it counts from now on is not in them.
    pub(crate) fn note_private(&self, id: ThreadId) {
        let mut state = self.state.lock();
        let index = state.index_of(id);
        let State { rows, pending, .. } = &mut *state;
        let row = index.and_then(|index| rows.get_mut(index));
        let Some(row) = row.filter(|row| row.was_folded) else {
            return;
        };
        row.was_folded = false;
        pending.push(Record::Thread(Thread {
            id,
            name: row.name.clone(),
            folded: true,
        }));
    }

    /// Every block, with the bytes its threads have allocated since counting began.
    pub(crate) fn rows(&self, layout: &ThreadLayout) -> Vec<(ThreadRow, u64)> {
        let state = self.state.lock();
        let moved = moved_to_contexts(&state, layout);
        let allocated = |row: &ThreadRow| match row.native {
            // SAFETY: a thread leaves the table in its ThreadEnd event, before its native thread is freed; the table is locked.
            Some(native) => unsafe { layout.cooked_allocated_bytes(Address(native)) }
                .saturating_sub(row.before_ready),
            None => 0,
        };
        state
            .rows
            .iter()
            .map(|row| {
                let own = (row.ended_bytes + allocated(row)).cast_signed();
                let moved = moved.get(&row.block.address()).copied().unwrap_or(0);
                let bytes = own.saturating_add(moved).max(0);
                (row.clone(), bytes.cast_unsigned())
            })
            .collect()
    }

    /// The block of a native thread.
    pub(crate) fn block_of(&self, native: usize) -> Option<CounterBlock> {
        let state = self.state.lock();
        let index = *state.by_native.get(&native)?;
        state.rows.get(index).map(|row| row.block)
    }

    /// The id of a native thread.
    pub(crate) fn id_of(&self, native: usize) -> Option<ThreadId> {
        let state = self.state.lock();
        let index = *state.by_native.get(&native)?;
        state.rows.get(index).map(|row| row.id)
    }

    /// Bytes allocated before counting began.
    pub(crate) fn before_ready_bytes(&self) -> u64 {
        self.state
            .lock()
            .rows
            .iter()
            .map(|row| row.ended_before_ready + row.before_ready)
            .sum()
    }

    /// Takes the thread records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        std::mem::take(&mut self.state.lock().pending)
    }
}

impl State {
    /// Handles an announced thread that already has a block: one that it took itself, or one given earlier.
    fn assigned_before(&mut self, index: usize, native: usize, name: &str) -> AssignedBlock {
        match self.rows.get_mut(index) {
            Some(row) if row.native.is_none() => {
                row.native = Some(native);
                let block = row.block;
                self.name_row(index, name);
                AssignedBlock::Adopted(block)
            }
            _ => AssignedBlock::Nothing,
        }
    }

    /// Names a row: by its thread, or by the pattern of the names of all its threads.
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

    /// Assigns a row to a thread that has none.
    fn give_row(
        &mut self,
        store: &BlockStore,
        native: usize,
        name: &str,
    ) -> Result<Option<usize>, ducktrack_hotspot::Error> {
        let pattern = fold_digits(name);
        let index = match self.take_idle(&pattern) {
            Some(index) => index,
            None => self.add_row(store, Some(native), &pattern)?,
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
        // Too many names that never return: their counts are merged.
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
        native: Option<usize>,
        pattern: &str,
    ) -> Result<usize, ducktrack_hotspot::Error> {
        let block = match retired_blocks::take(native) {
            Some(block) => block,
            None => CounterBlock::new()?,
        };
        let id = self.next_id();
        if let Err(refusal) = store.back(block, id, first_keyed()) {
            self.refusal = Some(refusal);
        }
        self.rows.push(ThreadRow::new(id, block, pattern));
        Ok(self.rows.len() - 1)
    }

    fn next_id(&mut self) -> ThreadId {
        self.ids = self.ids.saturating_add(1);
        ThreadId(self.ids)
    }

    /// Most rows keep the id that they had first.
    fn index_of(&self, id: ThreadId) -> Option<usize> {
        let first = usize::try_from(id.0).ok()?.checked_sub(1)?;
        let is_it = |row: &ThreadRow| row.id == id;
        match self.rows.get(first).is_some_and(is_it) {
            true => Some(first),
            false => self.rows.iter().position(is_it),
        }
    }
}

/// The bytes that threads allocated in contexts belong to the blocks of these: by the block's
/// address, how many it has more than its thread says. Executions that are under way are included.
fn moved_to_contexts(state: &State, layout: &ThreadLayout) -> HashMap<usize, i64> {
    let mut moved: HashMap<usize, i64> = HashMap::new();
    let mut under_way: HashMap<usize, Vec<CounterBlock>> = HashMap::new();
    for row in &state.rows {
        *moved.entry(row.block.address()).or_default() += row.block.context_bytes();
        let native = row.block.context_thread();
        if row.of_context && state.by_native.contains_key(&native) {
            under_way.entry(native).or_default().push(row.block);
        }
    }
    for (native, mut blocks) in under_way {
        blocks.sort_by_key(|block| block.context_depth());
        // SAFETY: a thread leaves the table in its ThreadEnd event, before its native thread is freed; the table is locked.
        let now = unsafe { layout.cooked_allocated_bytes(Address(native)) };
        let own = state
            .by_native
            .get(&native)
            .and_then(|index| state.rows.get(*index));
        let mut around = own.map(|row| row.block.address());
        for block in blocks {
            let bytes = now.saturating_sub(block.context_start()).cast_signed();
            *moved.entry(block.address()).or_default() += bytes;
            if let Some(around) = around.replace(block.address()) {
                *moved.entry(around).or_default() -= bytes;
            }
        }
    }
    moved
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

    fn block(given: AssignedBlock) -> CounterBlock {
        match given {
            AssignedBlock::Block(_, block) => block,
            AssignedBlock::Nothing | AssignedBlock::Adopted(_) => panic!("no block"),
        }
    }

    #[test]
    fn digits_fold() {
        assert_eq!(fold_digits("pool-1-thread-12"), "pool-#-thread-#");
        assert_eq!(fold_digits("main"), "main");
    }

    #[test]
    fn a_thread_that_is_never_announced_is_introduced() {
        let table = ThreadTable::new(Arc::new(BlockStore::private()));
        let names = || {
            let records = table.take_pending();
            let named = records.into_iter().map(|record| match record {
                Record::Thread(thread) => (thread.name, thread.folded),
                _ => panic!("no thread"),
            });
            named.collect::<Vec<_>>()
        };
        table.adopt(1, "(attaching)").expect("memory");
        assert_eq!(names(), [("(attaching)".to_owned(), false)]);
        table.start(1, "worker-1", 0).expect("memory");
        assert_eq!(names(), [("worker-1".to_owned(), false)]);
    }

    #[test]
    fn a_block_goes_to_the_next_thread_of_its_kind() {
        let table = ThreadTable::new(Arc::new(BlockStore::private()));
        let first = block(table.start(1, "worker-1", 0).expect("memory"));
        let other = block(table.start(2, "worker-2", 0).expect("memory"));
        assert_ne!(first, other);
        assert!(matches!(
            table.start(1, "worker-1", 0),
            Ok(AssignedBlock::Nothing)
        ));
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
