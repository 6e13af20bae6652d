//! All paths of a graph, with the places of their counters and the components of their semantics.

use crate::counter_location::locate_counters;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, PathId};
use crate::path::{Path, PlaceInPath};
use crate::path_building::{build_paths, places};

/// The paths of a graph. Every reachable block and edge belongs to exactly one. A path branches off
/// from, and joins, only paths with smaller numbers.
#[derive(Clone, Debug)]
pub struct PathSet {
    paths: Vec<Path>,
    places: Vec<Option<PlaceInPath>>,
}

impl PathSet {
    /// Builds paths along the most frequent edges, and places each path's counter.
    pub fn build(graph: &Graph, frequencies: &Frequencies) -> Self {
        let mut paths = build_paths(graph, frequencies);
        let places = places(graph, &paths);
        locate_counters(graph, frequencies, &places, &mut paths);
        Self { paths, places }
    }

    /// The paths in the order of their ids; the hot path first.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// One path.
    pub fn path(&self, path: PathId) -> &Path {
        &self.paths[path.index()]
    }

    /// The path that owns a block, and the block's position in it. `None` for ENTRY, EXIT and
    /// unreachable blocks.
    pub fn place_of(&self, block: BlockId) -> Option<PlaceInPath> {
        self.places[block.index()]
    }

    /// Moves a path's counter: every place is exact.
    #[cfg(test)]
    pub(crate) fn move_counter(&mut self, path: PathId, position: usize) {
        self.paths[path.index()].counter = Some(position);
    }
}
