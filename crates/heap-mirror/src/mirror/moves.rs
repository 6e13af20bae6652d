//! The moves of a collection: as contents of blocks for a writer, as runs for a reader.

use ducktrack_trace_format::{Explained, MoveEncoder, MoveRun};

use super::PART_BYTES;

/// The moves of a collection, and origins that the reader cannot work out.
#[derive(Debug, Default)]
pub struct Moves {
    /// Contents of the MOVES blocks.
    pub blocks: Vec<Vec<u8>>,
    /// Found objects with their origins.
    pub explained: Vec<Explained>,
}

impl Moves {
    /// Bytes of the contents.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64).sum()
    }
}

/// Takes the moves of a collection in ascending order.
pub(super) trait TakesMoves: Default {
    fn push(&mut self, run: MoveRun);
}

/// As the contents of blocks.
#[derive(Default)]
pub(super) struct MoveBlocks {
    full: Vec<Vec<u8>>,
    open: MoveEncoder,
}

impl TakesMoves for MoveBlocks {
    fn push(&mut self, run: MoveRun) {
        self.open.push(run.from, run.to, run.bytes, run.found);
        if self.open.len() >= PART_BYTES {
            self.full.push(std::mem::take(&mut self.open).finish());
        }
    }
}

impl MoveBlocks {
    pub(super) fn finish(mut self) -> Vec<Vec<u8>> {
        if !self.open.is_empty() {
            self.full.push(self.open.finish());
        }
        self.full
    }
}

impl TakesMoves for Vec<MoveRun> {
    #[inline]
    fn push(&mut self, run: MoveRun) {
        let joined = self.last_mut().is_some_and(|last| last.join(&run));
        if !joined {
            Vec::push(self, run);
        }
    }
}
