//! `counters.mapped`: the memory of counter blocks as a file that outlives
//! the process. Its layout is in [`ducktrack_trace_format::counter_file`].
//!
//! Words of the header are stored whole, so that a reader of the file, which takes no lock, sees either the old or the new value. An
//! extent's entry is complete before the number of extents includes it.

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

/// Size of a header word in bytes.
const WORD: usize = 8;

/// The file, with its header mapped.
pub(crate) struct CounterFile {
    file: MappedFile,
    /// Address of the header, which is mapped as long as `self` lives.
    head: usize,
    extents: usize,
    /// Room that blocks have freed.
    spare: Vec<FileRange>,
}

impl CounterFile {
    /// Creates the file in the directory of this process's trace. Its maximum length is `most` bytes.
    pub(crate) fn create(directory: &Path, most: u64) -> Result<Self, Refusal> {
        let path = directory.join(COUNTER_FILE_NAME);
        // The trace file beside it is new, so an existing file of this name belongs to a run whose trace was deleted.
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
        created.write_identity();
        Ok(created)
    }

    fn write_identity(&self) {
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

    /// Sets the word at an index in the header or in the table of extents.
    pub(crate) fn set_at(&self, index: usize, value: u64) {
        if let Some(word) = self.word(index) {
            word.store(value, Ordering::Release);
        }
    }

    fn word(&self, index: usize) -> Option<&AtomicU64> {
        let offset = index
            .checked_mul(WORD)
            .filter(|offset| *offset < HEAD_BYTES)?;
        // SAFETY: the header is mapped as long as `self` lives and is page-aligned, and the word lies inside it.
        Some(unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.head + offset) })
    }

    /// Allocates room for a part of a block. It contains zeros.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<FileRange, Refusal> {
        let fits = |range: &FileRange| range.length == length;
        let Some(spare) = self.spare.iter().position(fits) else {
            return self.file.reserve(length);
        };
        let range = self.spare.swap_remove(spare);
        self.file.write(range, &vec![0; length])?;
        Ok(range)
    }

    /// Whether less than a quarter of its room is left.
    pub(crate) fn is_nearly_full(&self) -> bool {
        self.file.is_nearly_full()
    }

    /// Frees this room. Its extent no longer counts.
    pub(crate) fn give_back(&mut self, extent: u64, range: FileRange) {
        let index = usize::try_from(extent).unwrap_or(MAX_EXTENTS);
        if index < self.extents {
            self.set_extent(index, Extent::default());
            self.spare.push(range);
        }
    }

    /// Writes to room that is not mapped yet.
    pub(crate) fn write(&self, range: FileRange, words: &[u64]) -> Result<(), Refusal> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.file.write(range, &bytes)
    }

    /// The refusal if there are too many blocks.
    pub(crate) fn too_many_blocks(&self, most: usize) -> Refusal {
        self.file.too_many_blocks(most)
    }

    /// Maps allocated room over a part of a block.
    ///
    /// # Safety
    /// The range must fit into the block from `place` on, and nothing stored there may still be needed.
    pub(crate) unsafe fn map(
        &self,
        range: FileRange,
        block: CounterBlock,
        place: usize,
    ) -> Result<(), Refusal> {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(block.address() + place);
        match NonNull::new(start) {
            // SAFETY: the caller gives up this memory; blocks begin at a page, and so do all places.
            Some(start) => unsafe { self.file.map_over(range, start) },
            None => Ok(()),
        }
    }

    /// Registers a range as part of a block; returns the number of its extent.
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

    /// The parts of the file that were ever written.
    pub(crate) fn data_runs(&self) -> Option<Vec<Range<u64>>> {
        self.file.data_runs()
    }

    /// Deletes the file, because the trace contains everything.
    pub(crate) fn remove(&self) {
        self.file.remove();
    }
}

impl Drop for CounterFile {
    fn drop(&mut self) {
        // SAFETY: the header was mapped with this length, and every use of it borrows `self`.
        unsafe { MappedFile::unmap(self.head, HEAD_BYTES) };
    }
}
