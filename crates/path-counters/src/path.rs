//! Paths: sequences of connected blocks that together own every block and edge once.
//!
//! S. Fitzek, P. Lengauer, H. Moessenboeck, "DuckTracks: Path-based Object Allocation Tracking"
//! (ICPE 2017 companion), section 2.1.
//!
//! | word | meaning |
//! |---|---|
//! | *hot path* | the path that starts at ENTRY and follows the most likely successors |
//! | *side path* | branches off from another path, and leaves the method, joins a path, or stops |
//! | *loop path* | a segment split off because the path under construction came back to its *header block*; branching and joining block are that header |
//! | *handler path* | starts at ENTRY over an exceptional edge; otherwise like a side path |
//! | *branching block* | the block, of another path, from which a path branches off |
//! | *joining block* | the block, of another path, to which a path's last edge leads |
//! | *share count* | of an edge: how many flows use it, see [`counter_location`](crate::PathSet) |
//!
//! ```text
//!   blocks        A    C    D            edges[0] leaves the branching block,
//!   edges    e0 ^   e1^  e2^   e3 >      edges[i] leads into blocks[i],
//!                                        a last edge leads to EXIT or the joining block
//! ```

use crate::index::{BlockId, EdgeId, PathId};

/// How a path began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathKind {
    /// The expected course through the method.
    Hot,
    /// Branches off from another path.
    Side,
    /// One iteration of a loop, without its header block.
    Loop,
    /// Begins in an exception handler.
    Handler,
}

/// Where a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathEnd {
    /// Its last edge leads to EXIT.
    Leaves,
    /// Its last edge leads to this block of another path (for a loop path: the header block).
    Joins(BlockId),
    /// Its last block has no successor that the path may take: a throw, the header of an endless
    /// loop, or (in irreducible graphs) a block that leads only into loops split off from the path.
    /// The debt at its end may have any value, so such a path needs no counter: the debt is settled
    /// where the run is cut short, or by the side paths that branch off.
    Stops,
}

/// One path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub(crate) kind: PathKind,
    pub(crate) branching_block: BlockId,
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) edges: Vec<EdgeId>,
    pub(crate) end: PathEnd,
    pub(crate) share_counts: Vec<u32>,
    pub(crate) counter: Option<usize>,
}

impl Path {
    /// How the path began.
    pub fn kind(&self) -> PathKind {
        self.kind
    }

    /// The block from which it branches off. ENTRY for the hot path and for handler paths.
    pub fn branching_block(&self) -> BlockId {
        self.branching_block
    }

    /// The blocks it owns, in order. May be empty: an edge between two other paths, or a block that
    /// loops to itself.
    pub fn blocks(&self) -> &[BlockId] {
        &self.blocks
    }

    /// The edges it owns, in order: `edges()[i]` leads into `blocks()[i]`.
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// Where it ends.
    pub fn end(&self) -> PathEnd {
        self.end
    }

    /// The block it joins, if any.
    pub fn joining_block(&self) -> Option<BlockId> {
        match self.end {
            PathEnd::Joins(block) => Some(block),
            PathEnd::Leaves | PathEnd::Stops => None,
        }
    }

    /// How many flows use each edge, in the order of [`Path::edges`].
    pub fn share_counts(&self) -> &[u32] {
        &self.share_counts
    }

    /// The position in [`Path::edges`] at which the counter belongs. `None` for a path that stops.
    /// The placement decides whether the counter is needed (its semantics may be empty).
    pub fn counter_position(&self) -> Option<usize> {
        self.counter
    }

    /// The edge at which the counter belongs.
    pub fn counter_edge(&self) -> Option<EdgeId> {
        self.counter.map(|position| self.edges[position])
    }
}

/// The place of a block in the path that owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInPath {
    /// The owner.
    pub path: PathId,
    /// The position in its [`Path::blocks`].
    pub position: usize,
}
