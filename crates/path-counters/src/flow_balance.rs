//! Exact completion of counted edges by conservation.
//!
//! All places where runs begin and end (ENTRY, EXIT and dead ends) are one node, the *outside*; at
//! every other node, inflow equals outflow. Consider an edge without a count. If it lies on an
//! undirected cycle of such edges, adding one unit around the cycle (with signs) keeps every balance,
//! so it is not determined. Otherwise it is a bridge, and the counted edges between its two sides
//! determine it. So the algorithm finds the bridges, contracts everything else, and solves the
//! resulting forest from its leaves.

use petgraph::unionfind::UnionFind;

use crate::bridges::bridges;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};

/// The node that stands for the outside.
pub(crate) fn outside(graph: &Graph) -> usize {
    graph.entry().index()
}

/// The node at which a block's flow is balanced.
pub(crate) fn flow_node(graph: &Graph, block: BlockId) -> usize {
    if graph.out_edges(block).is_empty() {
        outside(graph)
    } else {
        block.index()
    }
}

/// Fills in every count that the given counts determine; one that would have to be negative is 0.
pub(crate) fn balance(graph: &Graph, known: &mut [Option<u64>]) {
    let open: Vec<(usize, usize)> = graph
        .edge_ids()
        .map(|edge| {
            let edge = graph.edge(edge);
            (flow_node(graph, edge.from), flow_node(graph, edge.to))
        })
        .collect();
    let unknown: Vec<EdgeId> = graph
        .edge_ids()
        .filter(|edge| known[edge.index()].is_none())
        .collect();
    let is_bridge = bridges(graph.node_count(), &unknown, &open);
    let mut parts = UnionFind::<usize>::new(graph.node_count());
    for (&edge, &bridge) in unknown.iter().zip(&is_bridge) {
        if !bridge {
            let (from, to) = open[edge.index()];
            parts.union(from, to);
        }
    }
    let bridge_edges: Vec<EdgeId> = unknown
        .iter()
        .zip(&is_bridge)
        .filter(|(_, bridge)| **bridge)
        .map(|(&edge, _)| edge)
        .collect();
    Parts {
        ends: &open,
        parts,
        outside: outside(graph),
    }
    .solve(&bridge_edges, known);
}

/// The parts between bridges.
struct Parts<'a> {
    /// Per edge, its nodes.
    ends: &'a [(usize, usize)],
    parts: UnionFind<usize>,
    outside: usize,
}

impl Parts<'_> {
    fn solve(&self, bridge_edges: &[EdgeId], known: &mut [Option<u64>]) {
        let mut surplus = self.surplus(known);
        let mut touching: Vec<Vec<EdgeId>> = vec![Vec::new(); surplus.len()];
        for &edge in bridge_edges {
            let (from, to) = self.parts_of(edge);
            touching[from].push(edge);
            touching[to].push(edge);
        }
        let mut degree: Vec<usize> = touching.iter().map(Vec::len).collect();
        let outside = self.parts.find(self.outside);
        let mut leaves: Vec<usize> = (0..degree.len())
            .filter(|&part| degree[part] == 1 && part != outside)
            .collect();
        while let Some(leaf) = leaves.pop() {
            let Some(&edge) = touching[leaf]
                .iter()
                .find(|edge| known[edge.index()].is_none())
            else {
                continue;
            };
            let (from, to) = self.parts_of(edge);
            let (flow, other) = if from == leaf {
                (surplus[leaf], to)
            } else {
                (-surplus[leaf], from)
            };
            let flow = flow.max(0);
            known[edge.index()] = Some(u64::try_from(flow).unwrap_or(u64::MAX));
            surplus[leaf] = 0;
            surplus[other] += if from == leaf { flow } else { -flow };
            degree[other] -= 1;
            if degree[other] == 1 && other != outside {
                leaves.push(other);
            }
        }
    }

    /// Per part: counted inflow minus counted outflow.
    fn surplus(&self, known: &[Option<u64>]) -> Vec<i128> {
        let mut surplus = vec![0i128; self.parts.len()];
        for (position, count) in known.iter().enumerate() {
            if let Some(count) = count {
                let (from, to) = self.parts_of(EdgeId::at(position));
                surplus[from] -= i128::from(*count);
                surplus[to] += i128::from(*count);
            }
        }
        surplus
    }

    fn parts_of(&self, edge: EdgeId) -> (usize, usize) {
        let (from, to) = self.ends[edge.index()];
        (self.parts.find(from), self.parts.find(to))
    }
}
