//! The probability of each successor of a block when nothing was measured.
//!
//! The heuristics are those of T. Ball and J. R. Larus, "Branch prediction for free" (PLDI 1993),
//! with the hit rates of Y. Wu and J. R. Larus, "Static branch frequency and program profile
//! analysis" (MICRO 1994), which also say how to combine several: as independent evidence, by
//! multiplying the rates and dividing by their sum.
//!
//! | evidence for a successor | weight of yes : no |
//! |---|---|
//! | it stays in the innermost loop around the block while another leaves it | 88 : 12 |
//! | no complete run goes through it (it only leads to a throw or never ends) | 1 : 99 |
//! | [`Hint::Likely`] / [`Hint::Unlikely`] | 84 : 16 / 16 : 84 |
//!
//! The normal edges out of ENTRY have probability one together. An exceptional edge has one in a
//! thousand on top of that: a handler is entered by runs that were cut short elsewhere.

use crate::depth_first::DepthFirst;
use crate::graph::{Edge, Graph, Hint};
use crate::index::{BlockId, EdgeId};
use crate::loop_nest::LoopNest;

const STAYS_IN_LOOP: f64 = 0.88;
const CANNOT_COMPLETE: f64 = 0.01;
const HINTED: f64 = 0.84;
const EXCEPTION: f64 = 0.001;

/// The probability that each edge is taken, given that its block was executed completely.
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
        let mut weight = 1.0;
        if loop_choice {
            weight *= if leaves_loop(edge) {
                1.0 - STAYS_IN_LOOP
            } else {
                STAYS_IN_LOOP
            };
        }
        if walk.reaches_exit(block) {
            weight *= if walk.reaches_exit(to) {
                1.0 - CANNOT_COMPLETE
            } else {
                CANNOT_COMPLETE
            };
        }
        weight *= match hint {
            Hint::None => 0.5,
            Hint::Likely => HINTED,
            Hint::Unlikely => 1.0 - HINTED,
        };
        probability[edge.index()] = weight;
        total += weight;
    }
    for &edge in edges {
        probability[edge.index()] /= total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn probabilities(graph: GraphBuilder) -> Vec<f64> {
        let graph = graph.build().expect("a graph");
        let walk = DepthFirst::of(&graph);
        let nest = LoopNest::of(&graph, &walk);
        branch_probabilities(&graph, &walk, &nest)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_loop_goes_on_and_a_throw_is_rare() {
        let [head, body, after, throw] = [0, 1, 2, 3].map(BlockId::new);
        let mut graph = GraphBuilder::new(4);
        let (entry, exit) = (graph.entry(), graph.exit());
        graph.edge(entry, head);
        let stays = graph.edge(head, body);
        let leaves = graph.edge(head, after);
        graph.edge(body, head);
        let throws = graph.edge(after, throw);
        let returns = graph.edge(after, exit);
        let found = probabilities(graph);
        assert!(close(found[stays.index()], 0.88) && close(found[leaves.index()], 0.12));
        assert!(close(found[throws.index()], 0.01) && close(found[returns.index()], 0.99));
    }

    #[test]
    fn a_hint_counts_once_however_many_edges_carry_it() {
        let [top, left, right] = [0, 1, 2].map(BlockId::new);
        let mut graph = GraphBuilder::new(3);
        let (entry, exit) = (graph.entry(), graph.exit());
        graph.edge(entry, top);
        let likely = graph.hinted_edge(top, left, Hint::Likely);
        let unlikely = graph.hinted_edge(top, right, Hint::Unlikely);
        graph.edge(left, exit);
        graph.edge(right, exit);
        let found = probabilities(graph);
        assert!(close(found[likely.index()], 0.84) && close(found[unlikely.index()], 0.16));
    }
}
