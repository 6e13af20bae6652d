//! Counters on the edges outside of a maximum-weight spanning forest.
//!
//! D. E. Knuth and F. R. Stevenson, "Optimal measurement points for program frequency counts" (BIT
//! 1973); T. Ball and J. R. Larus, "Optimally profiling and tracing programs" (TOPLAS 1994). A set of
//! edges without an undirected cycle (ENTRY and EXIT being the same node) needs no counters. If these
//! edges have the greatest possible weight, the other edges' counters are incremented least often,
//! unless some counter's semantics is empty. Empty counters are dropped, which can make another
//! forest, or the paper's paths, the better choice; [`choose`](crate::choose) compares.
//!
//! The forest is Kruskal's. Exceptional edges have weight zero: counters there are free.

use std::cmp::Reverse;

use petgraph::unionfind::UnionFind;

use crate::depth_first::DepthFirst;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};
use crate::potentials::{Potentials, TooManyTerms};

/// The edges of the forest, which need no counter whatever the sites are.
pub(crate) fn forest_edges(graph: &Graph, frequencies: &Frequencies) -> Vec<EdgeId> {
    let walk = DepthFirst::of(graph);
    kruskal(graph, walk.reachable_edges(graph), |edge| {
        // Among equal weights, a critical edge goes into the forest first.
        (
            graph.edge(edge).exceptional,
            Reverse(frequencies.edge(edge)),
            !graph.is_critical(edge),
            edge,
        )
    })
}

/// Takes edges in ascending order of their keys, unless they would close a cycle. EXIT counts as the same node as ENTRY.
pub(crate) fn kruskal<K: Ord>(
    graph: &Graph,
    edges: impl Iterator<Item = EdgeId>,
    key: impl Fn(EdgeId) -> K,
) -> Vec<EdgeId> {
    let mut edges: Vec<EdgeId> = edges.collect();
    edges.sort_by_cached_key(|&edge| key(edge));
    let mut trees = UnionFind::<u32>::new(graph.node_count());
    trees.union(graph.entry().as_u32(), graph.exit().as_u32());
    edges.retain(|&edge| {
        let edge = graph.edge(edge);
        trees.union(edge.from.as_u32(), edge.to.as_u32())
    });
    edges
}

/// The potentials that leave the edges of the forest without counters.
pub(crate) fn potentials(
    graph: &Graph,
    frequencies: &Frequencies,
    most_terms: usize,
) -> Result<Potentials, TooManyTerms> {
    settle(graph, &forest_edges(graph, frequencies), most_terms)
}

/// Walks a forest from ENTRY and EXIT, where nothing is owed. In a tree without any of
/// them, nothing is owed at the first block.
pub(crate) fn settle(
    graph: &Graph,
    forest: &[EdgeId],
    most_terms: usize,
) -> Result<Potentials, TooManyTerms> {
    let mut potentials = Potentials::zero(graph, most_terms);
    let neighbours = incident(graph, forest);
    let mut settled = vec![false; graph.node_count()];
    let mut open: Vec<BlockId> = vec![graph.exit(), graph.entry()];
    for root in &open {
        settled[root.index()] = true;
    }
    for next_root in graph.blocks() {
        while let Some(block) = open.pop() {
            for &edge in &neighbours[block.index()] {
                let ends = graph.edge(edge);
                let forwards = ends.from == block;
                let other = if forwards { ends.to } else { ends.from };
                if std::mem::replace(&mut settled[other.index()], true) {
                    continue;
                }
                if forwards {
                    potentials.settle_forwards(graph, edge)?;
                } else {
                    potentials.settle_backwards(graph, edge)?;
                }
                open.push(other);
            }
        }
        if !std::mem::replace(&mut settled[next_root.index()], true) {
            open.push(next_root);
        }
    }
    Ok(potentials)
}

fn incident(graph: &Graph, edges: &[EdgeId]) -> Vec<Vec<EdgeId>> {
    let mut incident = vec![Vec::new(); graph.node_count()];
    for &edge in edges {
        let ends = graph.edge(edge);
        incident[ends.from.index()].push(edge);
        incident[ends.to.index()].push(edge);
    }
    incident
}
