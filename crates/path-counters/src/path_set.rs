//! All paths of a graph, with their counters' places and the components of their semantics.

use crate::counter_location::locate_counters;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, PathId};
use crate::path::{Path, PlaceInPath};
use crate::path_building::{build_paths, places};

/// The paths of a graph. Every block and edge that a run can come to belongs to exactly one.
/// A path branches off from, and joins, only paths with smaller numbers.
#[derive(Clone, Debug)]
pub struct PathSet {
    paths: Vec<Path>,
    places: Vec<Option<PlaceInPath>>,
}

impl PathSet {
    /// Builds paths along the most frequent edges, and finds the place of each path's counter.
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

    /// The path that owns a block, and where in it the block is. `None` for ENTRY, EXIT and
    /// blocks that no run can come to.
    pub fn place_of(&self, block: BlockId) -> Option<PlaceInPath> {
        self.places[block.index()]
    }

    /// Puts a path's counter elsewhere: any place is exact.
    #[cfg(test)]
    pub(crate) fn move_counter(&mut self, path: PathId, position: usize) {
        self.paths[path.index()].counter = Some(position);
    }
}
