//! The blocks that were added to a file since the last look.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use ducktrack_trace_format::{BlockKind, FileHeader};

use crate::block_reader::{Block, BlockReader};

/// A file that grows, and how far it was read.
#[derive(Debug)]
pub(crate) struct BlockTail {
    path: PathBuf,
    /// Blocks of other kinds are stepped over.
    accepts: fn(BlockKind) -> bool,
    /// The first look reads at most this much of what is there.
    most_at_first: u64,
    /// Where the next block begins; `None`: nothing was read yet.
    position: Option<u64>,
    inode: u64,
}

/// The result of a look.
#[derive(Debug, Default)]
pub(crate) struct NewBlocks {
    pub(crate) blocks: Vec<Block>,
    /// The writer has made its file anew: these are its blocks from the first on.
    pub(crate) anew: bool,
}

impl BlockTail {
    pub(crate) fn new(path: PathBuf, accepts: fn(BlockKind) -> bool, most_at_first: u64) -> Self {
        Self {
            path,
            accepts,
            most_at_first,
            position: None,
            inode: 0,
        }
    }

    /// Blocks that are whole by now and were not before.
    pub(crate) fn look(&mut self) -> io::Result<NewBlocks> {
        let mut file = File::open(&self.path)?;
        let facts = file.metadata()?;
        let was_replaced = facts.ino() != self.inode;
        let is_known = self.position.is_some_and(|at| at <= facts.len()) && !was_replaced;
        let start = match self.position.filter(|_| is_known) {
            Some(position) => position,
            None => first(facts.len(), self.most_at_first),
        };
        let anew = self.position.is_some() && !is_known;
        self.inode = facts.ino();
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BlockReader::within(file, self.accepts);
        let blocks = std::iter::from_fn(|| reader.next_block()).collect();
        // A block that is not whole yet is read again when there is more of it.
        self.position = Some(start + reader.end_of_whole());
        Ok(NewBlocks { blocks, anew })
    }
}

/// Where the first look begins: at the first block, or somewhere before the end, from which the reader finds the next block.
fn first(length: u64, most: u64) -> u64 {
    length.saturating_sub(most).max(FileHeader::LENGTH as u64)
}
