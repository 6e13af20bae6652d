//! The event blocks of one epoch, which can be decoded on all cores.
//!
//! Blocks are kept as stored, a few hundred megabytes at most. Of an epoch with more, only the offsets of the later blocks are kept,
//! and these blocks are read again when they are needed. So memory does not depend on how much the program allocates between two
//! collections.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_trace_format::{
    BlockHeader, BlockKind, EventColumns, FormatError, MAX_CONTENT, decode_content,
};

use crate::block_reader::StoredBlock;

/// Default limit of the bytes of blocks kept in memory.
pub(crate) const MOST_KEPT: usize = 192 << 20;
/// Buffers a worker takes at a time.
const CHUNK: usize = 8;

/// A file of the trace, by its index in the list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileNumber(pub(crate) usize);

/// Event blocks in the order of the trace.
#[derive(Debug, Default)]
pub struct EventBuffers {
    blocks: Vec<BufferBlock>,
    kept: usize,
}

#[derive(Debug)]
struct BufferBlock {
    file: FileNumber,
    at: u64,
    header: BlockHeader,
    /// `None` if it must be read again.
    stored: Option<Vec<u8>>,
    /// It was put back after it had been decoded.
    again: bool,
    /// Its events have been taken for the matching of survivors.
    is_matched: bool,
}

/// A block that could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferFault {
    pub(crate) file: FileNumber,
    pub(crate) at: u64,
    /// Bytes of the block in the file.
    pub(crate) length: u64,
    pub(crate) reason: BufferError,
}

/// Why a block could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BufferError {
    /// It cannot be read again.
    Unreadable(String),
    /// It does not expand.
    Corrupt(FormatError),
    /// Its events do not decode.
    Malformed,
}

impl EventBuffers {
    /// Adds a block; keeps it in memory unless that would take more than `most` bytes.
    pub(crate) fn push(&mut self, file: FileNumber, block: StoredBlock, most: usize) {
        let room = most.saturating_sub(self.kept);
        let keep = block.stored.len() < room;
        if keep {
            self.kept += block.stored.len();
        }
        self.blocks.push(BufferBlock {
            file,
            at: block.at,
            header: block.header,
            stored: keep.then_some(block.stored),
            again: false,
            is_matched: false,
        });
    }

    /// Puts buffers that have been decoded once before these.
    pub(crate) fn put_back(&mut self, mut earlier: Self) {
        earlier
            .blocks
            .iter_mut()
            .for_each(|block| block.again = true);
        earlier.blocks.append(&mut self.blocks);
        self.blocks = earlier.blocks;
        self.kept += earlier.kept;
    }

    /// Gives the contents that were not given before, in order. Contents that do not decode are left out: whoever decodes them reports that.
    pub(crate) fn for_each_unmatched(
        &mut self,
        paths: &[PathBuf],
        mut take: impl FnMut(&[u8]) -> Result<(), FormatError>,
    ) {
        let mut again = ReadAgain::default();
        // Blocks that were put back stand before new ones.
        for block in self.blocks.iter_mut().filter(|block| !block.is_matched) {
            block.is_matched = true;
            let mut take = |content: &[u8], _: bool| take(content);
            let _ = block.decode(paths, &mut again, &mut take);
        }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Bytes of their contents.
    pub fn bytes(&self) -> u64 {
        let bytes = self
            .blocks
            .iter()
            .map(|block| u64::from(block.header.plain_length));
        bytes.sum()
    }

    /// True when there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Hands the content of every block to one of the workers; each worker has its own thread.
    pub(crate) fn for_each<W: Send>(
        &self,
        paths: &[PathBuf],
        workers: &mut [W],
        take: impl Fn(&mut W, &[u8], bool) -> Result<(), FormatError> + Sync,
    ) -> Vec<BufferFault> {
        let next = AtomicUsize::new(0);
        let work =
            |worker: &mut W| self.work(&next, paths, |content, again| take(worker, content, again));
        // With few blocks, the work is done before a thread has started.
        let threads = workers.len().min(self.blocks.len().div_ceil(2 * CHUNK));
        let Some((first, others)) = workers.split_first_mut() else {
            return Vec::new();
        };
        let mut faults = std::thread::scope(|scope| {
            let others = others.iter_mut().take(threads.saturating_sub(1));
            let running: Vec<_> = others.map(|worker| scope.spawn(|| work(worker))).collect();
            let mut faults = work(first);
            for thread in running {
                match thread.join() {
                    Ok(more) => faults.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            faults
        });
        faults.sort_by_key(|fault| (fault.file, fault.at));
        faults
    }

    fn work(
        &self,
        next: &AtomicUsize,
        paths: &[PathBuf],
        mut take: impl FnMut(&[u8], bool) -> Result<(), FormatError>,
    ) -> Vec<BufferFault> {
        let mut faults = Vec::new();
        let mut again = ReadAgain::default();
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            let end = (start + CHUNK).min(self.blocks.len());
            let Some(blocks) = self
                .blocks
                .get(start..end)
                .filter(|blocks| !blocks.is_empty())
            else {
                return faults;
            };
            for block in blocks {
                if let Err(reason) = block.decode(paths, &mut again, &mut take) {
                    let length = BlockHeader::LENGTH as u64 + u64::from(block.header.stored_length);
                    let (file, at) = (block.file, block.at);
                    faults.push(BufferFault {
                        file,
                        at,
                        length,
                        reason,
                    });
                }
            }
        }
    }
}

impl BufferBlock {
    fn decode(
        &self,
        paths: &[PathBuf],
        again: &mut ReadAgain,
        take: &mut impl FnMut(&[u8], bool) -> Result<(), FormatError>,
    ) -> Result<(), BufferError> {
        let stored = match &self.stored {
            Some(stored) => stored.as_slice(),
            None => again
                .read(self, paths)
                .map_err(|error| BufferError::Unreadable(error.to_string()))?,
        };
        let content = decode_content(&self.header, stored).map_err(BufferError::Corrupt)?;
        if self.header.kind != BlockKind::EVENT_COLUMNS {
            return take(&content, self.again).map_err(|_| BufferError::Malformed);
        }
        let columns = EventColumns::decode(&content).map_err(BufferError::Corrupt)?;
        // All pieces are taken, even after one that does not decode.
        let taken = columns.pieces().map(|piece| take(piece, self.again));
        let results: Vec<_> = taken.collect();
        let all: Result<(), FormatError> = results.into_iter().collect();
        all.map_err(|_| BufferError::Malformed)
    }
}

/// Reads stored blocks a second time.
#[derive(Debug, Default)]
struct ReadAgain {
    open: Option<(FileNumber, File)>,
    bytes: Vec<u8>,
}

impl ReadAgain {
    fn read(&mut self, block: &BufferBlock, paths: &[PathBuf]) -> io::Result<&[u8]> {
        let mut file = match self.open.take() {
            Some((number, file)) if number == block.file => file,
            _ => File::open(
                paths
                    .get(block.file.0)
                    .map_or(Path::new(""), PathBuf::as_path),
            )?,
        };
        file.seek(SeekFrom::Start(block.at + BlockHeader::LENGTH as u64))?;
        let length = usize::try_from(block.header.stored_length).unwrap_or(MAX_CONTENT);
        self.bytes.resize(length.min(MAX_CONTENT), 0);
        file.read_exact(&mut self.bytes)?;
        self.open = Some((block.file, file));
        Ok(&self.bytes)
    }
}
