//! Which placement a method gets.
//!
//! Paths and the spanning forest are both exact; the one with fewer expected increments wins, then
//! the one with fewer counters (code size), then the paths. Beyond the limits a method gets one
//! counter per block.

use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::path_set::PathSet;
use crate::placement::{Placement, PlacementKind};

/// Where per-block counters take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most blocks.
    pub blocks: usize,
    /// The most edges.
    pub edges: usize,
    /// The most terms that the potentials of one placement may have together.
    pub terms: usize,
}

impl Default for Limits {
    /// Methods of 10,000 blocks are still placed; a class initializer that fills a table with
    /// thousands of objects is one block and within the terms.
    fn default() -> Self {
        Self {
            blocks: 10_000,
            edges: 30_000,
            terms: 200_000,
        }
    }
}

/// What was chosen, and what it was compared with.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The placement to use. [`Placement::kind`] says which it is.
    pub placement: Placement,
    /// The paths, unless the method was beyond the limits.
    pub paths: Option<PathSet>,
    /// Expected increments of each candidate, in the order in which they were looked at.
    pub candidates: Vec<(PlacementKind, u64)>,
}

/// Chooses the placement with the fewest expected increments.
pub fn choose(graph: &Graph, frequencies: &Frequencies, limits: &Limits) -> Choice {
    let mut candidates = Vec::new();
    let mut paths = None;
    if graph.block_count() <= limits.blocks && graph.edge_count() <= limits.edges {
        let set = PathSet::build(graph, frequencies);
        candidates.extend(Placement::of_paths(graph, &set, limits.terms).ok());
        candidates.extend(Placement::of_spanning_forest(graph, frequencies, limits.terms).ok());
        paths = Some(set);
    }
    if candidates.is_empty() {
        candidates.push(Placement::per_block(graph));
    }
    let costs: Vec<(PlacementKind, u64)> = candidates
        .iter()
        .map(|candidate| (candidate.kind(), candidate.increments(graph, frequencies)))
        .collect();
    let placement =
        best(graph, frequencies, candidates).unwrap_or_else(|| Placement::per_block(graph));
    Choice {
        placement,
        paths,
        candidates: costs,
    }
}

fn best(graph: &Graph, frequencies: &Frequencies, candidates: Vec<Placement>) -> Option<Placement> {
    // `max_by_key` would return the last of equals, `min_by_key` returns the first: the paths.
    candidates.into_iter().min_by_key(|candidate| {
        (
            candidate.increments(graph, frequencies),
            candidate.counters().len(),
        )
    })
}
