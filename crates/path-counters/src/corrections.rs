//! A counter's semantics in the paper's own words (DuckTracks, section 2.2.2): the sum of the
//! path's *allocations*, its *branching correction* and its *joining correction*.
//!
//! Let Q be the path that owns the branching block B, and R the one that owns the joining block J.
//!
//! | Q's counter is | branching correction |
//! |---|---|
//! | before B: it has counted already | minus Q's allocations after B, minus Q's joining correction |
//! | after B: it will not be reached | plus Q's allocations up to and in B, plus Q's branching correction |
//!
//! | R's counter is | joining correction |
//! |---|---|
//! | before J: it was skipped | plus R's allocations from J on, plus R's joining correction |
//! | after J: it will be reached | minus R's allocations before J, minus R's branching correction |
//!
//! Q's and R's own corrections bring in the chains of branches and joins, up to the path that
//! starts at ENTRY or leaves. A path that stops has no counter, as if its counter were never
//! reached: the "after" rows apply.
//!
//! This serves only for display and for tests: [`Placement`](crate::Placement) works with
//! potentials, which give the same sums.

use crate::graph::Graph;
use crate::index::BlockId;
use crate::path::{Path, PlaceInPath};
use crate::path_set::PathSet;
use crate::site_vector::SiteVector;

/// The components of one path's counter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Components {
    /// The sites of the path's own blocks.
    pub allocations: SiteVector,
    /// The error of the count of the path from which it branches off.
    pub branching_correction: SiteVector,
    /// The error of the count of the path that it joins. Zero for a path that stops.
    pub joining_correction: SiteVector,
}

impl Components {
    /// The counter's semantics.
    pub fn sum(&self) -> SiteVector {
        self.allocations
            .plus(&self.branching_correction)
            .plus(&self.joining_correction)
    }
}

impl PathSet {
    /// The three components of each path's counter, as the paper defines them.
    pub fn components(&self, graph: &Graph) -> Vec<Components> {
        components(graph, self)
    }
}

/// Paths refer only to paths with smaller numbers, so one pass in order resolves all chains.
fn components(graph: &Graph, set: &PathSet) -> Vec<Components> {
    let mut known: Vec<Components> = Vec::with_capacity(set.paths().len());
    for path in set.paths() {
        let found = Components {
            allocations: sum(graph, path.blocks()),
            branching_correction: branching_correction(graph, set, &known, path),
            joining_correction: joining_correction(graph, set, &known, path),
        };
        known.push(found);
    }
    known
}

fn branching_correction(
    graph: &Graph,
    set: &PathSet,
    known: &[Components],
    path: &Path,
) -> SiteVector {
    let Some(PlaceInPath {
        path: owner,
        position,
    }) = set.place_of(path.branching_block())
    else {
        return SiteVector::zero(); // ENTRY
    };
    let blocks = set.path(owner).blocks();
    if counts_before(set.path(owner), position) {
        sum(graph, &blocks[position + 1..])
            .plus(&known[owner.index()].joining_correction)
            .negated()
    } else {
        sum(graph, &blocks[..=position]).plus(&known[owner.index()].branching_correction)
    }
}

fn joining_correction(
    graph: &Graph,
    set: &PathSet,
    known: &[Components],
    path: &Path,
) -> SiteVector {
    let Some(PlaceInPath {
        path: owner,
        position,
    }) = path.joining_block().and_then(|block| set.place_of(block))
    else {
        return SiteVector::zero(); // leaves or stops
    };
    let blocks = set.path(owner).blocks();
    if counts_before(set.path(owner), position) {
        sum(graph, &blocks[position..]).plus(&known[owner.index()].joining_correction)
    } else {
        sum(graph, &blocks[..position])
            .plus(&known[owner.index()].branching_correction)
            .negated()
    }
}

/// Whether the path's counter is before its block at the position.
fn counts_before(path: &Path, position: usize) -> bool {
    path.counter_position()
        .is_some_and(|counter| counter <= position)
}

fn sum(graph: &Graph, blocks: &[BlockId]) -> SiteVector {
    blocks
        .iter()
        .flat_map(|&block| graph.sites(block).terms().iter().copied())
        .collect()
}
