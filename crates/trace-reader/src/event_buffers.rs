//! The event blocks of one epoch, which can be decoded on all cores.
//!
//! Blocks are kept as stored, about a hundred megabytes at most. Of an epoch with more, only the offsets of the later blocks are kept,
//! and these blocks are read again when they are needed. So memory does not depend on how much the program allocates between two
//! collections.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_trace_format::{
    BlockHeader, BlockKind, EventColumns, FormatError, MAX_CONTENT, decode_content,
};

use crate::block_reader::StoredBlock;

/// Default limit of the bytes of blocks kept in memory.
pub(crate) const MOST_KEPT: usize = 96 << 20;
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
    /// Of the files, by number; there once the buffers are handed out.
    paths: Arc<Vec<PathBuf>>,
}

#[derive(Debug)]
struct BufferBlock {
    file: FileNumber,
    at: u64,
    header: BlockHeader,
    content: Content,
    /// It was put back after it had been decoded.
    again: bool,
    /// Its events have been taken for the matching of survivors.
    is_matched: bool,
}

/// The content of a block.
#[derive(Debug)]
enum Content {
    /// It must be read again.
    InFile,
    Stored(Vec<u8>),
    Expanded(Vec<u8>),
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
            content: match keep {
                true => Content::Stored(block.stored),
                false => Content::InFile,
            },
            again: false,
            is_matched: false,
        });
    }

    /// Hands them out, to be decoded where their files are not at hand.
    pub(crate) fn take(&mut self, paths: &Arc<Vec<PathBuf>>) -> Self {
        Self {
            paths: Arc::clone(paths),
            ..core::mem::take(self)
        }
    }

    /// These buffers, which have been decoded once, and then others. Of all, no more blocks are kept in memory than of one epoch.
    pub(crate) fn followed_by(mut self, mut later: Self) -> Self {
        if self.blocks.is_empty() {
            return later;
        }
        self.blocks.iter_mut().for_each(|block| block.again = true);
        for block in &mut later.blocks {
            let can_be_read = block.file.0 < later.paths.len();
            if can_be_read && self.kept.saturating_add(block.memory()) > MOST_KEPT {
                block.content = Content::InFile;
            }
            self.kept = self.kept.saturating_add(block.memory());
        }
        self.blocks.append(&mut later.blocks);
        self.paths = later.paths;
        self
    }

    /// Gives the contents that were not given before, in order. Contents that do not decode are left
    /// out: whoever decodes them reports that. Blocks stay expanded in memory, up to `most` bytes.
    pub(crate) fn for_each_unmatched(
        &mut self,
        paths: &[PathBuf],
        most: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), FormatError>,
    ) {
        let mut again = ReadAgain::default();
        // Blocks that were put back stand before new ones.
        for block in self.blocks.iter_mut().filter(|block| !block.is_matched) {
            block.is_matched = true;
            self.kept += block.expand(most.saturating_sub(self.kept));
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
        workers: &mut [W],
        take: impl Fn(&mut W, &[u8], bool) -> Result<(), FormatError> + Sync,
    ) -> Vec<BufferFault> {
        let next = AtomicUsize::new(0);
        let work = |worker: &mut W| self.work(&next, |content, again| take(worker, content, again));
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
                if let Err(reason) = block.decode(&self.paths, &mut again, &mut take) {
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
    /// Bytes that are kept.
    fn memory(&self) -> usize {
        match &self.content {
            Content::InFile => 0,
            Content::Stored(bytes) | Content::Expanded(bytes) => bytes.len(),
        }
    }

    /// Expands what is kept, if that takes at most `room` bytes more; gives how many.
    fn expand(&mut self, room: usize) -> usize {
        let Content::Stored(stored) = &self.content else {
            return 0;
        };
        let before = stored.len();
        let plain = usize::try_from(self.header.plain_length).unwrap_or(usize::MAX);
        if plain.saturating_sub(before) > room {
            return 0;
        }
        if let Ok(Cow::Owned(content)) = decode_content(&self.header, stored) {
            self.content = Content::Expanded(content);
        }
        self.memory().saturating_sub(before)
    }

    fn decode(
        &self,
        paths: &[PathBuf],
        again: &mut ReadAgain,
        take: &mut impl FnMut(&[u8], bool) -> Result<(), FormatError>,
    ) -> Result<(), BufferError> {
        let stored = match &self.content {
            Content::Expanded(content) => return self.give(content, take),
            Content::Stored(stored) => stored.as_slice(),
            Content::InFile => again
                .read(self, paths)
                .map_err(|error| BufferError::Unreadable(error.to_string()))?,
        };
        let content = decode_content(&self.header, stored).map_err(BufferError::Corrupt)?;
        self.give(&content, take)
    }

    fn give(
        &self,
        content: &[u8],
        take: &mut impl FnMut(&[u8], bool) -> Result<(), FormatError>,
    ) -> Result<(), BufferError> {
        if self.header.kind != BlockKind::EVENT_COLUMNS {
            return take(content, self.again).map_err(|_| BufferError::Malformed);
        }
        let columns = EventColumns::decode(content).map_err(BufferError::Corrupt)?;
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
