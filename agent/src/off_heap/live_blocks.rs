//! The blocks that are not released yet, by what releases them.

use ducktrack_probe_vocabulary::OffHeapKind;
use rustc_hash::FxHashMap;

use super::makers::Maker;
use crate::core::Core;

/// Memory that was made.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) maker: Maker,
    pub(super) bytes: u64,
}

impl Block {
    /// Counts it as made. The caller holds the lock: one thread at a time writes these words.
    pub(super) fn count_made(self, core: &Core) {
        core.shared.add(self.maker.made(), 1);
        core.shared.add(self.maker.made() + 1, self.bytes);
    }

    /// The same as released.
    pub(super) fn count_released(self, core: &Core) {
        core.shared.add(self.maker.released(), 1);
        core.shared.add(self.maker.released() + 1, self.bytes);
    }
}

/// Blocks by kind and key: an address, or the id of a thread.
#[derive(Default)]
pub(super) struct LiveBlocks(FxHashMap<(OffHeapKind, i64), Block>);

impl LiveBlocks {
    /// Adds a block; the one that had its key before.
    pub(super) fn insert(&mut self, kind: OffHeapKind, key: i64, block: Block) -> Option<Block> {
        self.0.insert((kind, key), block)
    }

    /// Takes a block out.
    pub(super) fn remove(&mut self, kind: OffHeapKind, key: i64) -> Option<Block> {
        self.0.remove(&(kind, key))
    }
}
