//! `counters.mapped`: the memory of counter blocks as a file that outlives the process. Layout in [`ducktrack_trace_format::counter_file`].
//!
//! Words of the header are stored whole, so that a reader of the file, which takes no lock, sees each as it was or as it is. An extent's entry is
//! complete before the number of extents names it.

use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_trace_format::{
    COUNTER_FILE_MAGIC, COUNTER_FILE_NAME, COUNTER_FILE_VERSION, EXTENT_TABLE, Extent, HEAD_BYTES,
    HeaderWord, MAX_EXTENTS,
};

use crate::process::mapped_file::{FileRange, MappedFile, Refusal};
use crate::process::own_process::OwnProcess;
use crate::threads::counter_block::CounterBlock;

/// Bytes of the word `index` of a header.
const WORD: usize = 8;

/// The file, and its header as memory.
pub(crate) struct CounterFile {
    file: MappedFile,
    /// Address of the header, mapped for good.
    head: usize,
    extents: usize,
    /// Room that blocks gave back.
    spare: Vec<FileRange>,
}

impl CounterFile {
    /// Creates the file in a directory whose trace is this process's own. It may come to have `most` bytes.
    pub(crate) fn create(directory: &Path, most: u64) -> Result<Self, Refusal> {
        let path = directory.join(COUNTER_FILE_NAME);
        // The trace file beside it is new, so a file of this name is of a run whose trace was taken away.
        let _ = std::fs::remove_file(&path);
        let mut file = MappedFile::create(&path, most.saturating_add(HEAD_BYTES as u64))?;
        let head = file.reserve(HEAD_BYTES).and_then(|range| file.map(range));
        let head = match head {
            Ok(head) => head.as_ptr().expose_provenance(),
            Err(refusal) => {
                file.remove();
                return Err(refusal);
            }
        };
        let created = Self {
            file,
            head,
            extents: 0,
            spare: Vec::new(),
        };
        created.say_whose_it_is();
        Ok(created)
    }

    fn say_whose_it_is(&self) {
        let process = OwnProcess::read();
        self.set(HeaderWord::Version, COUNTER_FILE_VERSION);
        self.set(HeaderWord::Pid, process.pid.into());
        self.set(HeaderWord::ProcessStart, process.start_ticks);
        for (half, word) in process.boot_id.into_iter().enumerate() {
            self.set_at(HeaderWord::BootId as usize + half, word);
        }
        self.set(HeaderWord::Magic, COUNTER_FILE_MAGIC);
    }

    /// Sets a word of the header.
    pub(crate) fn set(&self, word: HeaderWord, value: u64) {
        self.set_at(word as usize, value);
    }

    /// Sets the word at a position of the header or the table of extents.
    pub(crate) fn set_at(&self, index: usize, value: u64) {
        if let Some(word) = self.word(index) {
            word.store(value, Ordering::Release);
        }
    }

    fn word(&self, index: usize) -> Option<&AtomicU64> {
        let offset = index
            .checked_mul(WORD)
            .filter(|offset| *offset < HEAD_BYTES)?;
        // SAFETY: the header is mapped for good, aligned to a page, and the word is inside of it.
        Some(unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.head + offset) })
    }

    /// Sets room aside for a part of a block. It has zeros.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<FileRange, Refusal> {
        let fits = |range: &FileRange| range.length == length;
        let Some(spare) = self.spare.iter().position(fits) else {
            return self.file.reserve(length);
        };
        let range = self.spare.swap_remove(spare);
        self.file.write(range, &vec![0; length])?;
        Ok(range)
    }

    /// This room is free again: the extent that has it counts no longer.
    pub(crate) fn give_back(&mut self, extent: u64, range: FileRange) {
        let index = usize::try_from(extent).unwrap_or(MAX_EXTENTS);
        if index < self.extents {
            self.set_extent(index, Extent::default());
            self.spare.push(range);
        }
    }

    /// Writes into room that is not mapped yet.
    pub(crate) fn write(&self, range: FileRange, words: &[u64]) -> Result<(), Refusal> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.file.write(range, &bytes)
    }

    /// The refusal where there are too many blocks.
    pub(crate) fn too_many_blocks(&self, most: usize) -> Refusal {
        self.file.too_many_blocks(most)
    }

    /// Maps reserved room in the place of a part of a block.
    ///
    /// # Safety
    /// The range fits into the block from `place` on, and nothing was written there that is still needed.
    pub(crate) unsafe fn map(
        &self,
        range: FileRange,
        block: CounterBlock,
        place: usize,
    ) -> Result<(), Refusal> {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(block.address() + place);
        match NonNull::new(start) {
            // SAFETY: the caller gives this memory up; blocks begin at a page, and so do all places.
            Some(start) => unsafe { self.file.map_over(range, start) },
            None => Ok(()),
        }
    }

    /// The table says that a range is a part of a block; gives the number of its extent.
    pub(crate) fn add_extent(
        &mut self,
        range: FileRange,
        number: u64,
        place: usize,
    ) -> Result<u64, Refusal> {
        let index = self.extents;
        if index >= MAX_EXTENTS {
            return Err(self.file.bound());
        }
        self.set_extent(
            index,
            Extent {
                block: number,
                place: place as u64,
                offset: range.offset,
                length: range.length as u64,
            },
        );
        self.extents = index + 1;
        self.set(HeaderWord::Extents, self.extents as u64);
        Ok(index as u64)
    }

    fn set_extent(&self, index: usize, extent: Extent) {
        let first = (EXTENT_TABLE + index * Extent::LENGTH) / WORD;
        for (word, value) in (first..).zip(extent.words()) {
            self.set_at(word, value);
        }
    }

    /// Which parts of the file were ever written.
    pub(crate) fn data_runs(&self) -> Option<Vec<Range<u64>>> {
        self.file.data_runs()
    }

    /// The file goes: the trace says everything.
    pub(crate) fn remove(&self) {
        self.file.remove();
    }
}
