//! Bridges: edges whose removal would disconnect an undirected graph (R. E. Tarjan, 1974).

use petgraph::algo::bridges::bridges as simple_bridges;
use petgraph::graph::{NodeIndex, UnGraph};

use crate::index::EdgeId;

/// Whether each listed edge is a bridge, in the same order. `ends` has the two nodes of each edge id.
///
/// Petgraph wants a graph without parallel edges and self-loops: each edge has a node in its middle here, and
/// self-loops, which are never bridges, are left out.
pub(crate) fn bridges(nodes: usize, edges: &[EdgeId], ends: &[(usize, usize)]) -> Vec<bool> {
    let mut halves = UnGraph::<(), usize>::with_capacity(nodes + edges.len(), 2 * edges.len());
    for _ in 0..nodes {
        halves.add_node(());
    }
    for (position, edge) in edges.iter().enumerate() {
        let (from, to) = ends[edge.index()];
        if from != to {
            let middle = halves.add_node(());
            halves.add_edge(NodeIndex::new(from), middle, position);
            halves.add_edge(middle, NodeIndex::new(to), position);
        }
    }
    let mut is_bridge = vec![false; edges.len()];
    for half in simple_bridges(&halves) {
        is_bridge[*half.weight()] = true;
    }
    is_bridge
}
