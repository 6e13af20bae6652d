//! Path building (DuckTracks, section 2.1).
//!
//! 1. The hot path starts at ENTRY and appends the most likely successor until it leaves.
//! 2. Every edge that leaves a path's block and is not owned yet starts a side path there. A side
//!    path ends when it leaves, or when it reaches a block of another path, which it joins.
//! 3. A path under construction that reaches a block of its own has found a loop: the segment after
//!    that *header block* is split off as a loop path, and construction goes on at the header with
//!    another successor, or ends there.
//! 4. A path never joins a loop path split off from itself, because each would depend on the other.
//!    Such an edge is left for a later side path.
//! 5. When a path is complete, its own branching points and those of the loop paths split off from it are handled.
//!
//! ```text
//!   A --> C --> D        A, C, D, then C again:     loop path [D], header C
//!         ^     |        goes on at C with E:       side path [C], joins E
//!         +-----+
//! ```
//!
//! Beyond the paper: the exceptional edges ENTRY -> handler are branching points of ENTRY, handled
//! after everything that can be reached without an exception.
//!
//! A block moves at most once, from the path under construction to a loop path, so building is linear
//! except for sorting the successors.

use std::collections::VecDeque;

use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId, PathId};
use crate::path::{Path, PathEnd, PathKind, PlaceInPath};

/// The owner of a block while paths are built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Unowned,
    /// The path under construction, with the position in its list of blocks.
    Current(usize),
    /// A finished path.
    Finished,
    /// A loop path split off from the path under construction.
    OwnLoop,
}

pub(crate) struct PathBuilding<'a> {
    graph: &'a Graph,
    /// The successors of each block, most likely first.
    preference: Vec<Vec<EdgeId>>,
    owner: Vec<Owner>,
    edge_taken: Vec<bool>,
    paths: Vec<Path>,
    /// Finished paths whose branching points are still to be handled.
    open: VecDeque<PathId>,
}

/// The path under construction.
struct Current {
    kind: PathKind,
    branching_block: BlockId,
    blocks: Vec<BlockId>,
    edges: Vec<EdgeId>,
    loops: Vec<Path>,
}

/// Builds all paths. The first is the hot path, if ENTRY has an edge at all.
pub(crate) fn build_paths(graph: &Graph, frequencies: &Frequencies) -> Vec<Path> {
    let mut building = PathBuilding {
        graph,
        preference: preferences(graph, frequencies),
        owner: vec![Owner::Unowned; graph.node_count()],
        edge_taken: vec![false; graph.edge_count()],
        paths: Vec::new(),
        open: VecDeque::new(),
    };
    building.build_from_entry();
    building.paths
}

/// The place of every owned block.
pub(crate) fn places(graph: &Graph, paths: &[Path]) -> Vec<Option<PlaceInPath>> {
    let mut places = vec![None; graph.node_count()];
    for (number, path) in paths.iter().enumerate() {
        for (position, block) in path.blocks.iter().enumerate() {
            places[block.index()] = Some(PlaceInPath {
                path: PathId::at(number),
                position,
            });
        }
    }
    places
}

/// Most frequent first; ties go to the edge that was added first, which is the caller's fall-through.
/// Exceptional edges come last regardless of measurements.
fn preferences(graph: &Graph, frequencies: &Frequencies) -> Vec<Vec<EdgeId>> {
    graph
        .blocks()
        .map(|block| {
            let mut edges = graph.out_edges(block).to_vec();
            edges.sort_by_key(|&edge| {
                (
                    graph.edge(edge).exceptional,
                    std::cmp::Reverse(frequencies.edge(edge)),
                    edge,
                )
            });
            edges
        })
        .collect()
}

impl PathBuilding<'_> {
    /// Builds the paths that start at ENTRY first, those of handlers last of all.
    fn build_from_entry(&mut self) {
        let entry = self.graph.entry();
        let edges = self.preference[entry.index()].clone();
        let exceptional = |edge: &EdgeId| self.graph.edge(*edge).exceptional;
        let (handlers, normal): (Vec<EdgeId>, Vec<EdgeId>) =
            edges.into_iter().partition(exceptional);
        for edge in normal {
            let kind = if self.paths.is_empty() {
                PathKind::Hot
            } else {
                PathKind::Side
            };
            self.build_path(kind, entry, edge);
        }
        self.handle_open_paths();
        for edge in handlers {
            self.build_path(PathKind::Handler, entry, edge);
            self.handle_open_paths();
        }
    }

    fn handle_open_paths(&mut self) {
        while let Some(path) = self.open.pop_front() {
            self.handle_branching_points(path);
        }
    }

    fn handle_branching_points(&mut self, path: PathId) {
        for block in self.paths[path.index()].blocks.clone() {
            for edge in self.preference[block.index()].clone() {
                if !self.edge_taken[edge.index()] {
                    self.build_path(PathKind::Side, block, edge);
                }
            }
        }
    }

    fn build_path(&mut self, kind: PathKind, branching_block: BlockId, first: EdgeId) {
        let mut current = Current {
            kind,
            branching_block,
            blocks: Vec::new(),
            edges: Vec::new(),
            loops: Vec::new(),
        };
        let mut next = Some(first);
        let mut end = PathEnd::Stops;
        while let Some(edge) = next {
            self.edge_taken[edge.index()] = true;
            let to = self.graph.edge(edge).to;
            current.edges.push(edge);
            if to == self.graph.exit() {
                end = PathEnd::Leaves;
                break;
            }
            match self.owner[to.index()] {
                Owner::Unowned => self.append(&mut current, to),
                Owner::Current(header) => self.split_off_loop(&mut current, header),
                Owner::Finished | Owner::OwnLoop => {
                    end = PathEnd::Joins(to);
                    break;
                }
            }
            next = self.next_edge(&current);
        }
        self.finish(current, end);
    }

    fn append(&mut self, current: &mut Current, block: BlockId) {
        self.owner[block.index()] = Owner::Current(current.blocks.len());
        current.blocks.push(block);
    }

    /// Rule 3: the segment after the header block becomes a path of its own.
    fn split_off_loop(&mut self, current: &mut Current, header: usize) {
        let blocks = current.blocks.split_off(header + 1);
        let edges = current.edges.split_off(header + 1);
        for block in &blocks {
            self.owner[block.index()] = Owner::OwnLoop;
        }
        let header = current.blocks[header];
        current.loops.push(Path {
            kind: PathKind::Loop,
            branching_block: header,
            blocks,
            edges,
            end: PathEnd::Joins(header),
            share_counts: Vec::new(),
            counter: None,
        });
    }

    /// The most likely successor of the last block that the path may take.
    fn next_edge(&self, current: &Current) -> Option<EdgeId> {
        let tail = *current.blocks.last()?;
        self.preference[tail.index()].iter().copied().find(|&edge| {
            let to = self.graph.edge(edge).to;
            !self.edge_taken[edge.index()] && self.owner[to.index()] != Owner::OwnLoop
        })
    }

    /// Numbers the path before the loops split off from it, and outer loops before inner ones (an inner
    /// loop is split off before the loop around it). So every path branches off from, and joins, paths with
    /// smaller numbers.
    fn finish(&mut self, current: Current, end: PathEnd) {
        let Current {
            kind,
            branching_block,
            blocks,
            edges,
            loops,
        } = current;
        let path = Path {
            kind,
            branching_block,
            blocks,
            edges,
            end,
            share_counts: Vec::new(),
            counter: None,
        };
        for path in std::iter::once(path).chain(loops.into_iter().rev()) {
            for block in &path.blocks {
                self.owner[block.index()] = Owner::Finished;
            }
            self.open.push_back(PathId::at(self.paths.len()));
            self.paths.push(path);
        }
    }
}
