//! How often each edge is taken: measured, or estimated from the shape of the graph.
//!
//! # The static estimate
//!
//! After Wu and Larus (MICRO 1994): the frequency of a block is the sum over its incoming edges,
//! and an edge carries its block's frequency times its probability. In a loop, the *cyclic
//! probability* cp is the chance that an execution of the header leads back to it, so the header
//! runs 1 / (1 - cp) times per entry. cp is found by pushing one unit from the header through the
//! body, inner loops first.
//!
//! ```text
//!   ENTRY -1.0-> h -0.88-> b -1.0-> h      cp(h) = 0.88, so h runs 8.33 times,
//!                  -0.12-> x               b 7.33 times, x once
//! ```
//!
//! Frequencies are integers, [`Frequencies::ONE_RUN`] per run in an estimate, so that equal flows
//! compare equal in whatever order they were summed.

use crate::branch_probability::branch_probabilities;
use crate::depth_first::DepthFirst;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};
use crate::loop_nest::LoopNest;

/// Limit of the cyclic probability: no loop is assumed to run more than 1,000 times per entry.
const MOST_CYCLIC: f64 = 0.999;

/// Where frequencies come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrequencySource {
    /// From the shape of the graph and the hints.
    Estimated,
    /// From counters of a running program.
    Measured,
}

/// One frequency per edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequencies {
    of_edge: Vec<u64>,
    source: FrequencySource,
}

impl Frequencies {
    /// The frequency of one run in an estimate.
    pub const ONE_RUN: u64 = 1 << 32;

    /// The static estimate.
    pub fn estimated(graph: &Graph) -> Self {
        let walk = DepthFirst::of(graph);
        let nest = LoopNest::of(graph, &walk);
        let probability = branch_probabilities(graph, &walk, &nest);
        let of_edge = edge_frequencies(graph, &walk, &nest, &probability)
            .into_iter()
            .map(|frequency| (frequency * Self::ONE_RUN as f64).round() as u64)
            .collect();
        Self {
            of_edge,
            source: FrequencySource::Estimated,
        }
    }

    /// Measured frequencies, one for each edge in the order of edge ids; missing ones are zero.
    pub fn measured(graph: &Graph, mut of_edge: Vec<u64>) -> Self {
        of_edge.resize(graph.edge_count(), 0);
        Self {
            of_edge,
            source: FrequencySource::Measured,
        }
    }

    /// How often an edge is taken.
    pub fn edge(&self, edge: EdgeId) -> u64 {
        self.of_edge[edge.index()]
    }

    /// How often a block is entered; for ENTRY, how often it is left.
    pub fn block(&self, graph: &Graph, block: BlockId) -> u64 {
        let edges = if block == graph.entry() {
            graph.out_edges(block)
        } else {
            graph.in_edges(block)
        };
        edges
            .iter()
            .fold(0, |sum, &edge| sum.saturating_add(self.edge(edge)))
    }

    /// The number of normal runs: what the ordinary edges of ENTRY carry.
    pub fn runs(&self, graph: &Graph) -> u64 {
        let normal = graph
            .out_edges(graph.entry())
            .iter()
            .filter(|&&edge| !graph.edge(edge).exceptional);
        normal.fold(0, |sum, &edge| sum.saturating_add(self.edge(edge)))
    }

    /// Whether the frequencies were measured or estimated.
    pub fn source(&self) -> FrequencySource {
        self.source
    }
}

fn edge_frequencies(
    graph: &Graph,
    walk: &DepthFirst,
    nest: &LoopNest,
    probability: &[f64],
) -> Vec<f64> {
    let mut multiplier = vec![1.0; graph.node_count()];
    let mut block = vec![0.0; graph.node_count()];
    for found in &nest.loops {
        block[found.header.index()] = 1.0;
        for &member in &found.body[1..] {
            block[member.index()] =
                inflow(graph, walk, probability, &block, member) * multiplier[member.index()];
        }
        let back: f64 = graph
            .in_edges(found.header)
            .iter()
            .filter(|&&edge| walk.is_retreating(edge))
            .map(|&edge| block[graph.edge(edge).from.index()] * probability[edge.index()])
            .sum();
        multiplier[found.header.index()] = 1.0 / (1.0 - back.min(MOST_CYCLIC));
        for &member in &found.body {
            block[member.index()] = 0.0;
        }
    }
    block[graph.entry().index()] = 1.0;
    for &member in &walk.order[1..] {
        block[member.index()] =
            inflow(graph, walk, probability, &block, member) * multiplier[member.index()];
    }
    graph
        .edge_ids()
        .map(|edge| block[graph.edge(edge).from.index()] * probability[edge.index()])
        .collect()
}

/// The inflow of a block over edges that do not go back. While a loop is processed, all blocks
/// outside of it hold zero.
fn inflow(
    graph: &Graph,
    walk: &DepthFirst,
    probability: &[f64],
    block: &[f64],
    member: BlockId,
) -> f64 {
    graph
        .in_edges(member)
        .iter()
        .filter(|&&edge| !walk.is_retreating(edge))
        .map(|&edge| block[graph.edge(edge).from.index()] * probability[edge.index()])
        .sum()
}
