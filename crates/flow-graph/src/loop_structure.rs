//! Dominators, back edges and loop depth of a method.
//!
//! Block u *dominates* v if every path from ENTRY to v goes through u (a handler entry counts as
//! reached from ENTRY). An edge is a *back edge* if its target dominates its source. The *natural
//! loop* of a header consists of the header and the blocks that reach one of its back edges without
//! going through the header. The *loop depth* of a block is the number of natural loops that
//! contain it.

use petgraph::algo::dominators::{self, Dominators};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::method_graph::MethodGraph;
use ducktrack_path_counters::{BlockId, EdgeId};

impl MethodGraph<'_> {
    /// The graph for petgraph's algorithms. Node and edge indices are those of [`BlockId`] and
    /// [`EdgeId`]; for each handler entry there is one more edge, from ENTRY, with weight `None`.
    pub fn to_petgraph(&self) -> DiGraph<BlockId, Option<EdgeId>> {
        let mut graph = DiGraph::with_capacity(self.blocks().len() + 2, self.edges().len());
        for block in 0..self.blocks().len() + 2 {
            graph.add_node(BlockId::at(block));
        }
        for (position, edge) in self.edges().iter().enumerate() {
            graph.add_edge(node(edge.from), node(edge.to), Some(EdgeId::at(position)));
        }
        for handler in self.handler_entries() {
            graph.add_edge(node(self.entry()), node(handler), None);
        }
        graph
    }
}

/// Dominators and loops of one method.
#[derive(Debug, Clone)]
pub struct LoopStructure {
    dominators: Dominators<NodeIndex>,
    back_edges: Vec<EdgeId>,
    depth: Vec<u32>,
}

impl LoopStructure {
    /// Analyses a method.
    pub fn of(graph: &MethodGraph<'_>) -> Self {
        let view = graph.to_petgraph();
        let dominators = dominators::simple_fast(&view, node(graph.entry()));
        let mut found = Self {
            dominators,
            back_edges: Vec::new(),
            depth: vec![0; view.node_count()],
        };
        found.back_edges = graph
            .edge_ids()
            .filter(|&id| {
                graph
                    .edge(id)
                    .is_some_and(|edge| found.dominates(edge.to, edge.from))
            })
            .collect();
        found.measure_depth(graph);
        found
    }

    /// Whether every path to `below` goes through `above`. False if `below` cannot be reached.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.dominators
            .dominators(node(below))
            .is_some_and(|mut chain| chain.any(|it| it == node(above)))
    }

    /// The closest block through which every path to `block` goes.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators
            .immediate_dominator(node(block))
            .map(|it| BlockId::at(it.index()))
    }

    /// The edges that close a natural loop.
    pub fn back_edges(&self) -> &[EdgeId] {
        &self.back_edges
    }

    /// The number of natural loops around a block.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.depth.get(block.index()).copied().unwrap_or(0)
    }

    fn measure_depth(&mut self, graph: &MethodGraph<'_>) {
        let mut closing: Vec<(BlockId, BlockId)> = self
            .back_edges
            .iter()
            .filter_map(|&id| graph.edge(id))
            .map(|edge| (edge.to, edge.from))
            .collect();
        closing.sort_unstable();
        let predecessors = predecessors(graph);
        for same_header in closing.chunk_by(|a, b| a.0 == b.0) {
            let mut inside = vec![false; self.depth.len()];
            let mut open: Vec<BlockId> = same_header.iter().map(|&(_, from)| from).collect();
            open.extend(same_header.first().map(|&(header, _)| header));
            let header = same_header.first().map(|&(header, _)| header);
            while let Some(block) = open.pop() {
                let (Some(inside), Some(depth)) = (
                    inside.get_mut(block.index()),
                    self.depth.get_mut(block.index()),
                ) else {
                    continue;
                };
                if std::mem::replace(inside, true) {
                    continue;
                }
                *depth += 1;
                if Some(block) != header {
                    open.extend(predecessors.get(block.index()).into_iter().flatten());
                }
            }
        }
    }
}

fn predecessors(graph: &MethodGraph<'_>) -> Vec<Vec<BlockId>> {
    let mut found = vec![Vec::new(); graph.blocks().len() + 2];
    for edge in graph.edges() {
        if let Some(list) = found.get_mut(edge.to.index()) {
            list.push(edge.from);
        }
    }
    found
}

fn node(block: BlockId) -> NodeIndex {
    NodeIndex::new(block.index())
}
