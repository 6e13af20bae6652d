//! Chooses the placement of a method.
//!
//! All candidates are exact; the one with the fewest expected increments wins, then the one with the
//! fewest counters (code size), then the first in this order:
//!
//! 1. the paper's paths;
//! 2. the spanning forest, best as long as no counter is empty;
//! 3. the better of these, refined;
//! 4. one counter per block, refined: best where few blocks have sites;
//! 5. one counter per block: never more increments than one counter per site, so neither has the
//!    choice.
//!
//! A method beyond the limits gets one counter per block without a comparison.

use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::path_set::PathSet;
use crate::placement::{Placement, PlacementKind};

/// The size beyond which a method gets per-block counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most blocks.
    pub blocks: usize,
    /// The most edges.
    pub edges: usize,
    /// The most terms of all potentials of one placement.
    pub terms: usize,
}

impl Default for Limits {
    /// Methods of 10,000 blocks are still placed. A class initializer that fills a table with
    /// thousands of objects is one block and within the limit of terms.
    fn default() -> Self {
        Self {
            blocks: 10_000,
            edges: 30_000,
            terms: 200_000,
        }
    }
}

/// The chosen placement, and what it was compared with.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The placement to use. [`Placement::kind`] says which it is.
    pub placement: Placement,
    /// The paths, unless the method was beyond the limits.
    pub paths: Option<PathSet>,
    /// Expected increments of each candidate, in the order of comparison.
    pub candidates: Vec<(PlacementKind, u64)>,
}

/// Chooses the placement with the fewest expected increments.
pub fn choose(graph: &Graph, frequencies: &Frequencies, limits: &Limits) -> Choice {
    if graph.block_count() > limits.blocks || graph.edge_count() > limits.edges {
        return only_per_block(graph, frequencies, None);
    }
    let paths = PathSet::build(graph, frequencies);
    let mut candidates: Vec<Placement> = Vec::new();
    candidates.extend(Placement::of_paths(graph, &paths, limits.terms).ok());
    candidates.extend(Placement::of_spanning_forest(graph, frequencies, limits.terms).ok());
    let Some(best) = cheapest(graph, frequencies, &candidates) else {
        return only_per_block(graph, frequencies, Some(paths));
    };
    let per_block = Placement::per_block(graph);
    if !candidates[best].counters().is_empty() {
        let refined =
            [&candidates[best], &per_block].map(|it| it.refined(graph, frequencies, limits.terms));
        candidates.extend(refined.into_iter().flatten());
        candidates.push(per_block);
    }
    let costs = candidates
        .iter()
        .map(|it| (it.kind(), it.increments(graph, frequencies)))
        .collect();
    let best = cheapest(graph, frequencies, &candidates).unwrap_or(best);
    Choice {
        placement: candidates.swap_remove(best),
        paths: Some(paths),
        candidates: costs,
    }
}

fn only_per_block(graph: &Graph, frequencies: &Frequencies, paths: Option<PathSet>) -> Choice {
    let placement = Placement::per_block(graph);
    let candidates = vec![(placement.kind(), placement.increments(graph, frequencies))];
    Choice {
        placement,
        paths,
        candidates,
    }
}

/// The position of the cheapest placement; of equals, the first.
fn cheapest(graph: &Graph, frequencies: &Frequencies, candidates: &[Placement]) -> Option<usize> {
    (0..candidates.len()).min_by_key(|&position| {
        let candidate = &candidates[position];
        (
            candidate.increments(graph, frequencies),
            candidate.counters().len(),
        )
    })
}
