//! How likely each successor of a block is when nothing was measured.
//!
//! The heuristics are those of T. Ball and J. R. Larus, "Branch prediction for free" (PLDI 1993),
//! with the hit rates of Y. Wu and J. R. Larus, "Static branch frequency and program profile
//! analysis" (MICRO 1994), which also say how to combine several: as independent evidence.
//!
//! | evidence for a successor | weight of yes : no |
//! |---|---|
//! | it stays in the innermost loop around the block while another leaves it | 88 : 12 |
//! | no complete run goes through it (it only leads to a throw or never ends) | 1 : 99 |
//! | [`Hint::Likely`] / [`Hint::Unlikely`] | 84 : 16 / 16 : 84 |
//!
//! The normal edges out of ENTRY have probability one, an exceptional edge one in a thousand on top
//! of that: handlers are entered by runs that were cut short elsewhere.

use crate::depth_first::DepthFirst;
use crate::graph::{Edge, Graph, Hint};
use crate::index::{BlockId, EdgeId};
use crate::loop_nest::LoopNest;

const STAYS_IN_LOOP: f64 = 0.88;
const CANNOT_COMPLETE: f64 = 0.01;
const HINTED: f64 = 0.84;
const EXCEPTION: f64 = 0.001;

/// The probability of each edge, given that its block ran through.
pub(crate) fn branch_probabilities(graph: &Graph, walk: &DepthFirst, nest: &LoopNest) -> Vec<f64> {
    let mut probability = vec![0.0; graph.edge_count()];
    for &block in &walk.order {
        if block == graph.entry() {
            entry_probabilities(graph, &mut probability);
        } else {
            block_probabilities(graph, walk, nest, block, &mut probability);
        }
    }
    probability
}

fn entry_probabilities(graph: &Graph, probability: &mut [f64]) {
    let edges = graph.out_edges(graph.entry());
    let normal = edges
        .iter()
        .filter(|&&edge| !graph.edge(edge).exceptional)
        .count()
        .max(1);
    for &edge in edges {
        let exceptional = graph.edge(edge).exceptional;
        probability[edge.index()] = if exceptional {
            EXCEPTION
        } else {
            1.0 / normal as f64
        };
    }
}

fn block_probabilities(
    graph: &Graph,
    walk: &DepthFirst,
    nest: &LoopNest,
    block: BlockId,
    probability: &mut [f64],
) {
    let edges = graph.out_edges(block);
    let leaves_loop = |edge: EdgeId| !nest.stays_inside(block, graph.edge(edge).to);
    let loop_choice =
        edges.iter().any(|&edge| leaves_loop(edge)) && !edges.iter().all(|&edge| leaves_loop(edge));
    let mut total = 0.0;
    for &edge in edges {
        let Edge { to, hint, .. } = *graph.edge(edge);
        let mut odds = 1.0;
        if loop_choice {
            odds *= evidence(if leaves_loop(edge) {
                1.0 - STAYS_IN_LOOP
            } else {
                STAYS_IN_LOOP
            });
        }
        if !walk.reaches_exit(to) && walk.reaches_exit(block) {
            odds *= evidence(CANNOT_COMPLETE);
        }
        odds *= match hint {
            Hint::None => 1.0,
            Hint::Likely => evidence(HINTED),
            Hint::Unlikely => evidence(1.0 - HINTED),
        };
        probability[edge.index()] = odds;
        total += odds;
    }
    for &edge in edges {
        probability[edge.index()] /= total;
    }
}

/// A rate as odds for and against.
fn evidence(rate: f64) -> f64 {
    rate / (1.0 - rate)
}
