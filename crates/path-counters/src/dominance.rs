//! Which blocks run no more often than which others, from dominance.
//!
//! Let the graph be closed: EXIT and dead ends lead back to ENTRY. Any frequencies are then a sum of
//! cycles, so if every cycle through v contains w, v runs no more often than w. Candidates for w are
//! v's immediate dominator and immediate post-dominator. Whether v lies on a cycle without w is then tested
//! directly, which is right for irreducible graphs too. If each of two blocks bounds the other, they run
//! equally often.

use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, NodeFiltered, Reversed, Walker};

use crate::flow_balance::outside;
use crate::graph::Graph;
use crate::index::BlockId;

/// `less` runs at most as often as `more`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunsNoMoreOften {
    pub(crate) less: BlockId,
    pub(crate) more: BlockId,
}

/// Testing a candidate costs a walk. Beyond this many visited nodes the other candidates are left
/// out: ranges become wider, but never wrong.
const MOST_VISITS: usize = 200_000;

/// All inequalities between blocks that the candidates give.
pub(crate) fn inequalities(graph: &Graph) -> Vec<RunsNoMoreOften> {
    let closed = closed_graph(graph);
    let root = NodeIndex::new(outside(graph));
    let above = dominators::simple_fast(&closed, root);
    let below = dominators::simple_fast(Reversed(&closed), root);
    let mut found = Vec::new();
    let most_tried = MOST_VISITS / (2 * graph.node_count());
    for less in graph
        .blocks()
        .filter(|&block| block < graph.entry())
        .take(most_tried)
    {
        let node = NodeIndex::new(less.index());
        for more in [
            above.immediate_dominator(node),
            below.immediate_dominator(node),
        ]
        .into_iter()
        .flatten()
        {
            if more != root && !on_cycle_without(&closed, node, more) {
                found.push(RunsNoMoreOften {
                    less,
                    more: BlockId::at(more.index()),
                });
            }
        }
    }
    found
}

/// The graph with EXIT, and an edge from every dead end, merged into ENTRY.
fn closed_graph(graph: &Graph) -> DiGraph<(), ()> {
    let mut closed = DiGraph::with_capacity(graph.node_count(), graph.edge_count());
    for _ in graph.blocks() {
        closed.add_node(());
    }
    let outside = NodeIndex::new(outside(graph));
    let node = |block: BlockId| {
        if block == graph.exit() {
            outside
        } else {
            NodeIndex::new(block.index())
        }
    };
    for edge in graph.edge_ids() {
        closed.add_edge(node(graph.edge(edge).from), node(graph.edge(edge).to), ());
    }
    for block in graph.blocks().filter(|&block| block < graph.entry()) {
        if graph.out_edges(block).is_empty() {
            closed.add_edge(node(block), outside, ());
        }
    }
    closed
}

fn on_cycle_without(closed: &DiGraph<(), ()>, start: NodeIndex, without: NodeIndex) -> bool {
    let rest = NodeFiltered::from_fn(closed, |node| node != without);
    Dfs::new(&rest, start)
        .iter(&rest)
        .any(|node| closed.contains_edge(node, start))
}
