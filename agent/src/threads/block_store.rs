//! Provides memory for counter blocks: in the mapped file while it has room, else private memory.
//!
//! ```text
//! block     0 ........ as many counters as there are ..... WORDS * 8 ........ keyed entries .... end
//!           ^ in the file, grows with the classes that are rewritten          ^ a table in the file, grows with its entries
//! ```
//!
//! A key is hashed modulo the length of the table, which is stored in the block's header. When the table is half full, its thread has it
//! replaced by one of twice the length.
//!
//! A block has room for the counters that exist. Before the code of a class with new counters is passed to the VM, every block in the file
//! grows ([`BlockStore::cover`]). If one cannot grow, the rest of its counters stays in private memory permanently, because a thread may
//! have counted there by the time there is room again.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_hotspot::page_size;
use ducktrack_trace_format::{BlockOwner, BlockWord, HeaderWord, ThreadId};
use parking_lot::Mutex;

use crate::process::mapped_file::{FileRange, Refusal};
use crate::threads::counter_block::{
    BlockValues, CounterBlock, EVENTS_OFFSET, KEYED_BYTES, KEYED_OFFSET, WORDS,
};
use crate::threads::counter_file::CounterFile;
use crate::threads::written_pages::WrittenPages;

/// Blocks grow by a multiple of this many bytes, the largest page of any system,
const STEP: usize = 64 << 10;
/// and by this fraction of their size.
const GROWTH: usize = 8;
/// Bytes of a block's first keyed table, if a page is no larger. The table grows.
const FIRST_KEYED: usize = 16 << 10;
/// A block takes up to 20 of the process's mappings (one for each growth). Linux allows 65,530, and the VM needs some, too.
const MOST_BLOCKS: usize = 1000;

/// The blocks of a process.
pub(crate) struct BlockStore {
    state: Mutex<State>,
    /// Every block that can grow covers the counters below this one.
    covered: AtomicU32,
}

#[derive(Default)]
struct State {
    file: Option<CounterFile>,
    takes_blocks: bool,
    is_full: bool,
    /// Indexed by the number of the block in the file.
    blocks: Vec<BackedBlock>,
    /// Bytes of counters in each block.
    bytes: usize,
}

/// A block in the file.
struct BackedBlock {
    block: CounterBlock,
    /// Bytes of its counters that are in the file.
    bytes: usize,
    /// Locations in the file: one part for each growth.
    parts: Vec<FileRange>,
    /// Growing failed once.
    stopped: bool,
    /// Its keyed entries: the number of the extent, and its location.
    keyed: (u64, FileRange),
}

/// Facts that the agent reports at each look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) unix_millis: u64,
    pub(crate) vm_bytes: u64,
    pub(crate) before_ready_bytes: u64,
    pub(crate) cost: [u64; 10],
}

/// Bytes of a block's first table of keyed entries.
pub(crate) fn first_keyed() -> usize {
    FIRST_KEYED.max(page_size())
}

/// The block counts for another thread from now on.
fn hand_over(block: CounterBlock, thread: ThreadId) {
    let before = BlockOwner::of(block.word(BlockWord::Owner as usize));
    let owner = BlockOwner {
        thread,
        generation: before.generation.wrapping_add(1),
    };
    block.release_word(BlockWord::Owner as usize, owner.word());
}

impl BlockStore {
    /// A store with all blocks in private memory.
    pub(crate) fn private() -> Self {
        Self::of(None, false)
    }

    /// A store with blocks in the mapped file of a directory, which may take `most` bytes for them; private if that fails. With 0 the file
    /// only says whose trace it is.
    pub(crate) fn open(directory: &Path, most: u64) -> (Self, Option<Refusal>) {
        match CounterFile::create(directory, most) {
            Ok(file) => (Self::of(Some(file), most > 0), None),
            Err(refusal) => (Self::private(), Some(refusal)),
        }
    }

    fn of(file: Option<CounterFile>, takes_blocks: bool) -> Self {
        Self {
            state: Mutex::new(State {
                file,
                takes_blocks,
                bytes: STEP,
                ..State::default()
            }),
            covered: AtomicU32::new(words_of(STEP)),
        }
    }

    /// Puts a new block, in which no thread has counted yet, into the file. Returns `Ok(false)` if no blocks belong there. The block that
    /// threads share does not grow, since it has the largest keyed table.
    ///
    /// # Errors
    /// Why the block stays in private memory.
    pub(crate) fn back(
        &self,
        block: CounterBlock,
        owner: ThreadId,
        keyed: usize,
    ) -> Result<bool, Refusal> {
        let mut state = self.state.lock();
        let backed = state.back(block, owner, keyed);
        state.is_full |= backed.is_err();
        backed
    }

    /// Puts this many bytes of histograms of a block of contexts, in which nothing is yet, into the file where the block is.
    ///
    /// # Errors
    /// Why it stays in private memory.
    pub(crate) fn back_histograms(&self, block: CounterBlock, bytes: usize) -> Result<(), Refusal> {
        let mut state = self.state.lock();
        let State { file, blocks, .. } = &mut *state;
        let number = blocks.iter().position(|backed| backed.block == block);
        let (Some(number), Some(file)) = (number, file) else {
            return Ok(());
        };
        let range = file.reserve(bytes)?;
        // SAFETY: the block is new; where pages are larger than the histograms,
        // the records of open calls follow it, and there are none yet.
        unsafe { file.map(range, block, EVENTS_OFFSET) }?;
        file.add_extent(range, number as u64, EVENTS_OFFSET)?;
        Ok(())
    }

    /// Gives a block a keyed table of twice the length. Called by the only thread that writes there, between two entries.
    ///
    /// # Errors
    /// Why it cannot; from now on its entries are in private memory.
    pub(crate) fn grow_keyed(&self, address: usize) -> Result<(), Refusal> {
        let mut state = self.state.lock();
        let State { file, blocks, .. } = &mut *state;
        let backed = (0..)
            .zip(blocks)
            .find(|(_, backed)| backed.block.address() == address);
        let (Some((number, backed)), Some(file)) = (backed, file) else {
            return Ok(());
        };
        let bytes = backed.block.keyed_bytes() * 2;
        if bytes > KEYED_BYTES {
            return Ok(());
        }
        let grown = larger_table(file, number, backed, bytes);
        if grown.is_err() {
            // If even this fails, the table stays as it is, and entries that find no room are counted as lost.
            let _ = backed.block.make_keyed_private();
        }
        grown
    }

    /// Whether a block found no room in the file.
    pub(crate) fn is_full(&self) -> bool {
        self.state.lock().is_full
    }

    /// Whether only a quarter of the file is left, which is for threads that start.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let state = self.state.lock();
        let file = state.file.as_ref().filter(|_| state.takes_blocks);
        state.is_full || file.is_some_and(CounterFile::is_nearly_full)
    }

    /// The block's number and generation in the file, if it is there.
    pub(crate) fn number_of(&self, block: CounterBlock) -> Option<(u32, u32)> {
        let state = self.state.lock();
        let is_it = |backed: &BackedBlock| backed.block == block;
        let number = state.blocks.iter().position(is_it)?;
        let owner = BlockOwner::of(block.word(BlockWord::Owner as usize));
        Some((u32::try_from(number).ok()?, owner.generation))
    }

    /// Gives a block in the file, whose values are in the trace as a folded block, to another thread together with that thread's values.
    pub(crate) fn pass_on(&self, block: CounterBlock, owner: ThreadId, values: &BlockValues) {
        let _growth = self.state.lock();
        block.take_values(values);
        // Until now, readers have ignored the block.
        hand_over(block, owner);
    }

    /// Gives a block, whose values are elsewhere, to another row.
    pub(crate) fn rename(&self, block: CounterBlock, owner: ThreadId) {
        let _growth = self.state.lock();
        hand_over(block, owner);
    }

    /// Ensures that all counters below `end` are in the file, before any code can count with them.
    ///
    /// # Errors
    /// The first reason why a block could not grow. Growing that block is not tried again.
    pub(crate) fn cover(&self, end: u32) -> Result<(), Refusal> {
        if end <= self.covered.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.state.lock();
        let State {
            file,
            blocks,
            bytes,
            ..
        } = &mut *state;
        let needed = end.min(WORDS) as usize * 8;
        if needed > *bytes {
            *bytes = (needed + needed / GROWTH)
                .next_multiple_of(STEP)
                .min(KEYED_OFFSET);
        }
        let mut grown = Ok(());
        if let Some(file) = file {
            for (number, block) in (0..).zip(blocks) {
                grown = grown.and(grow(file, number, block, *bytes));
            }
        }
        self.covered.store(words_of(*bytes), Ordering::Release);
        grown
    }

    /// The pages of counters that were ever written, in blocks in the file.
    pub(crate) fn written(&self) -> WrittenPages {
        let state = self.state.lock();
        let Some(file) = &state.file else {
            return WrittenPages::default();
        };
        let blocks = state.blocks.iter();
        let parts = blocks.map(|backed| (backed.block, backed.parts.as_slice()));
        file.data_runs()
            .map_or_else(WrittenPages::default, |runs| WrittenPages::of(&runs, parts))
    }

    /// Writes the agent's facts to the file.
    pub(crate) fn note(&self, counter_end: u32, look: Look) {
        let state = self.state.lock();
        let Some(file) = &state.file else { return };
        file.set(HeaderWord::CounterEnd, counter_end.into());
        file.set(HeaderWord::VmBytes, look.vm_bytes);
        file.set(HeaderWord::BeforeReadyBytes, look.before_ready_bytes);
        for (index, value) in (HeaderWord::Cost as usize..).zip(look.cost) {
            file.set_at(index, value);
        }
        file.set(HeaderWord::LookedAt, look.unix_millis);
    }

    /// Writes a single fact to the file.
    pub(crate) fn set(&self, word: HeaderWord, value: u64) {
        if let Some(file) = &self.state.lock().file {
            file.set(word, value);
        }
    }

    /// Frees memory, disk room and the descriptor of the file after the recording was stopped and no slot leads to a block. The
    /// addresses stay reserved: a thread may be between the load of its slot and its store for as long as it is not scheduled.
    /// It then stores into a page that is not read; in a block that another thread uses, it would undo that thread's counts.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        for backed in state.blocks.drain(..) {
            // If the call fails, the memory stays as it is.
            let _ = backed.block.make_private();
        }
        state.takes_blocks = false;
        state.file = None;
    }

    /// Deletes the file when the trace is complete.
    pub(crate) fn remove_file(&self) {
        if let Some(file) = &self.state.lock().file {
            file.remove();
        }
    }
}

impl State {
    fn back(
        &mut self,
        block: CounterBlock,
        owner: ThreadId,
        keyed: usize,
    ) -> Result<bool, Refusal> {
        let Self {
            file,
            blocks,
            bytes,
            takes_blocks,
            ..
        } = self;
        let Some(file) = file.as_mut().filter(|_| *takes_blocks) else {
            return Ok(false);
        };
        if blocks.len() >= MOST_BLOCKS {
            return Err(file.too_many_blocks(MOST_BLOCKS));
        }
        let number = blocks.len() as u64;
        let mut counters = file.reserve(*bytes + keyed)?;
        let mut table = counters;
        counters.length = *bytes;
        table.offset += *bytes as u64;
        table.length = keyed;
        // SAFETY: the block is new, and only its counters are replaced.
        unsafe { file.map(counters, block, 0) }?;
        map_keyed(file, block, table)?;
        file.add_extent(counters, number, 0)?;
        let extent = file.add_extent(table, number, KEYED_OFFSET)?;
        block.set_word(BlockWord::KeyedExtent as usize, extent);
        let owner = BlockOwner {
            thread: owner,
            generation: 0,
        };
        block.set_word(BlockWord::Owner as usize, owner.word());
        blocks.push(BackedBlock {
            block,
            bytes: *bytes,
            parts: vec![counters],
            stopped: false,
            keyed: (extent, table),
        });
        Ok(true)
    }
}

fn grow(
    file: &mut CounterFile,
    number: u64,
    backed: &mut BackedBlock,
    bytes: usize,
) -> Result<(), Refusal> {
    if backed.stopped || backed.bytes >= bytes {
        return Ok(());
    }
    let grown = file.reserve(bytes - backed.bytes).and_then(|range| {
        // SAFETY: no code uses a counter above the covered ones, so nothing
        // was written there. The range ends with the counters at the latest.
        unsafe { file.map(range, backed.block, backed.bytes) }?;
        file.add_extent(range, number, backed.bytes)?;
        Ok(range)
    });
    match &grown {
        Ok(range) => {
            backed.bytes = bytes;
            backed.parts.push(*range);
        }
        Err(_) => backed.stopped = true,
    }
    grown.map(|_| ())
}

/// Maps a table over a block's keyed entries.
fn map_keyed(file: &CounterFile, block: CounterBlock, table: FileRange) -> Result<(), Refusal> {
    block.change_keyed(table.length, || {
        // SAFETY: the existing entries are in the new table, or there are none yet; no table is longer than its place.
        unsafe { file.map(table, block, KEYED_OFFSET) }
    })
}

/// Safe against a kill: the new table is complete before the block's header refers to it.
fn larger_table(
    file: &mut CounterFile,
    number: u64,
    backed: &mut BackedBlock,
    bytes: usize,
) -> Result<(), Refusal> {
    let table = file.reserve(bytes)?;
    file.write(table, &backed.block.keyed_table(bytes))?;
    let extent = file.add_extent(table, number, KEYED_OFFSET)?;
    backed
        .block
        .set_word(BlockWord::KeyedExtent as usize, extent);
    map_keyed(file, backed.block, table)?;
    let (old_extent, old_table) = std::mem::replace(&mut backed.keyed, (extent, table));
    file.give_back(old_extent, old_table);
    Ok(())
}

fn words_of(bytes: usize) -> u32 {
    u32::try_from(bytes / 8).unwrap_or(WORDS)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use ducktrack_trace_format::{COUNTER_FILE_NAME, EXTENT_TABLE, Extent};

    use super::*;

    /// A store in its own directory, and the contents of its file.
    struct Stored {
        folder: std::path::PathBuf,
        store: BlockStore,
    }

    impl Stored {
        fn new(name: &str, most: u64) -> Self {
            let folder = std::env::temp_dir().join(format!("blocks-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            let (store, refusal) = BlockStore::open(&folder, most);
            assert!(refusal.is_none(), "{refusal:?}");
            Self { folder, store }
        }

        /// A new block of a thread, in the file.
        fn block(&self, owner: u32) -> CounterBlock {
            let block = CounterBlock::new().expect("memory");
            let backed = self.store.back(block, ThreadId(owner), first_keyed());
            assert!(backed.expect("room"));
            block
        }

        fn bytes(&self, at: u64, length: usize) -> Vec<u8> {
            let file = std::fs::File::open(self.folder.join(COUNTER_FILE_NAME)).expect("the file");
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, at).expect("its bytes");
            bytes
        }

        fn word(&self, at: u64) -> u64 {
            u64::from_le_bytes(self.bytes(at, 8).try_into().expect("8 bytes"))
        }

        fn extents(&self) -> Vec<Extent> {
            let count = self.word(HeaderWord::Extents as u64 * 8);
            (0..count)
                .map(|index| {
                    let at = EXTENT_TABLE as u64 + index * Extent::LENGTH as u64;
                    Extent::decode(&self.bytes(at, Extent::LENGTH)).expect("an extent")
                })
                .collect()
        }
    }

    impl Drop for Stored {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn what_a_block_counts_is_in_the_file_and_grows() {
        let stored = Stored::new("counts", 64 << 20);
        let block = stored.block(7);
        block.add(100, 5);
        let late = words_of(STEP) + 3;
        stored.store.cover(late + 1).expect("room");
        block.add(late, 6);
        block.add(100, 1);
        let extents = stored.extents();
        let places: Vec<u64> = extents.iter().map(|extent| extent.place).collect();
        assert_eq!(places, [0, KEYED_OFFSET as u64, STEP as u64]);
        let word = |extent: usize, index: u64| stored.word(extents[extent].offset + index * 8);
        assert_eq!(word(0, 100), 6);
        assert_eq!(word(0, BlockWord::Owner as u64), 7);
        assert_eq!(word(0, BlockWord::KeyedExtent as u64), 1);
        assert_eq!(word(2, 3), 6);
        assert_eq!(
            stored.word(HeaderWord::Pid as u64 * 8),
            u64::from(std::process::id())
        );
    }

    /// The entries of the table that a block's header in the file refers to.
    fn filed(
        stored: &Stored,
        block: CounterBlock,
    ) -> Vec<Option<ducktrack_trace_format::KeyedEntry>> {
        let extent = usize::try_from(block.word(BlockWord::KeyedExtent as usize)).expect("small");
        let extent = stored.extents()[extent];
        let bytes = stored.bytes(
            extent.offset,
            usize::try_from(extent.length).expect("small"),
        );
        let entries = bytes.chunks_exact(32);
        entries
            .map(|entry| {
                ducktrack_trace_format::KeyedEntry::of(
                    ducktrack_trace_format::words(entry).expect("four words"),
                )
            })
            .filter(Option::is_some)
            .collect()
    }

    #[test]
    fn a_table_of_keyed_entries_grows_and_keeps_them() {
        let stored = Stored::new("keyed", 64 << 20);
        let block = stored.block(7);
        let entry = |site| crate::threads::counter_block::KeyedEntry {
            call_site: site % 5,
            site,
            klass: 0,
            count: u64::from(site),
            bytes: 0,
        };
        let mut grown = 0;
        for site in 1..=9_000 {
            block.add_keyed(entry(site));
            if block.keyed_in_use() * 2 * crate::threads::counter_block::ROW == block.keyed_bytes()
            {
                stored.store.grow_keyed(block.address()).expect("room");
                grown += 1;
            }
        }
        assert_eq!((grown, block.keyed_bytes()), (6, KEYED_BYTES));
        assert_eq!(block.lost(), (0, 0));
        let mut sites: Vec<u32> = block.keyed().map(|entry| entry.site).collect();
        sites.sort_unstable();
        assert_eq!(sites, (1..=9_000).collect::<Vec<u32>>());
        assert_eq!(filed(&stored, block).len(), 9_000);
        // Freed room is reused.
        let other = stored.block(8);
        assert_eq!(other.keyed().count(), 0);
    }

    #[test]
    fn a_block_that_is_passed_on_has_the_values_of_its_new_thread() {
        let stored = Stored::new("passed", 64 << 20);
        let block = stored.block(7);
        block.add(100, 5);
        block.add_keyed(crate::threads::counter_block::KeyedEntry {
            call_site: 3,
            site: 20,
            klass: 0x1000,
            count: 4,
            bytes: 64,
        });
        let values = block.values(WORDS);
        assert_eq!(stored.store.number_of(block), Some((0, 0)));
        stored
            .store
            .pass_on(block, ThreadId(9), &BlockValues::default());
        assert_eq!(stored.store.number_of(block), Some((0, 1)));
        assert_eq!(block.counters(WORDS).count() + block.keyed().count(), 0);
        let private = CounterBlock::new().expect("memory");
        private.take_values(&values);
        assert_eq!(private.counter(100), 5);
        assert_eq!(private.keyed().count(), 1);
        assert_eq!(stored.store.number_of(private), None);
    }

    #[test]
    fn above_the_bound_blocks_are_private_and_count_on() {
        let room = (STEP + first_keyed()) as u64;
        let stored = Stored::new("bound", room + room / 2);
        let first = CounterBlock::new().expect("memory");
        let second = CounterBlock::new().expect("memory");
        assert!(stored.store.back(first, ThreadId(1), first_keyed()).is_ok());
        let refusal = stored
            .store
            .back(second, ThreadId(2), first_keyed())
            .expect_err("no room");
        assert!(matches!(refusal, Refusal::Bound { .. }), "{refusal}");
        second.add(100, 1);
        assert_eq!(second.counter(100), 1);
        // The first block does not exceed the bound either, and is not tried again.
        assert!(stored.store.cover(WORDS).is_err());
        assert!(stored.store.cover(WORDS).is_ok());
        first.add(WORDS - 1, 9);
        assert_eq!(first.counter(WORDS - 1), 9);
        assert_eq!(stored.extents().len(), 2);
    }

    #[test]
    fn released_blocks_take_no_memory_and_can_be_stored_to() {
        let stored = Stored::new("released", 64 << 20);
        let block = stored.block(7);
        block.add(100, 5);
        stored.store.release();
        assert_eq!((block.resident_bytes(), block.counter(100)), (0, 0));
        block.add(100, 1);
        assert_eq!(stored.store.number_of(block), None);
        let next = CounterBlock::new().expect("memory");
        assert_eq!(
            stored.store.back(next, ThreadId(8), first_keyed()).ok(),
            Some(false)
        );
    }
}
