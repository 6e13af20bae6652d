//! Depth-first order: which blocks are reachable, in which order, and which edges go back.
//!
//! *Reverse postorder* puts a block before its successors except along *retreating* edges, those
//! that lead to a block which is still open in the depth-first walk. Every cycle contains a
//! retreating edge; in a reducible graph they are exactly the back edges of its natural loops.

use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};

/// The result of one depth-first walk from ENTRY, and of one backwards from EXIT.
#[derive(Clone, Debug)]
pub(crate) struct DepthFirst {
    /// Reachable blocks in reverse postorder; the first is ENTRY.
    pub(crate) order: Vec<BlockId>,
    /// Position in `order` per block, `UNREACHED` if not reachable.
    position: Vec<u32>,
    /// Per edge: whether it is retreating.
    retreating: Vec<bool>,
    /// Per block: whether EXIT can be reached from it.
    reaches_exit: Vec<bool>,
}

const UNREACHED: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Unseen,
    Open,
    Closed,
}

impl DepthFirst {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut retreating = vec![false; graph.edge_count()];
        let mut order = postorder(graph, &mut retreating);
        order.reverse();
        let mut position = vec![UNREACHED; graph.node_count()];
        for (place, block) in order.iter().enumerate() {
            position[block.index()] = place as u32;
        }
        Self {
            reaches_exit: backwards_from_exit(graph),
            order,
            position,
            retreating,
        }
    }

    /// Whether a run can reach the block.
    pub(crate) fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != UNREACHED
    }

    /// Whether the edge closes a cycle of the depth-first walk.
    pub(crate) fn is_retreating(&self, edge: EdgeId) -> bool {
        self.retreating[edge.index()]
    }

    /// Whether a run that is at the block can still be completed.
    pub(crate) fn reaches_exit(&self, block: BlockId) -> bool {
        self.reaches_exit[block.index()]
    }

    /// The place of a reachable block in reverse postorder.
    pub(crate) fn position(&self, block: BlockId) -> usize {
        self.position[block.index()] as usize
    }

    /// The edges that a run can take, in the order of their ids.
    pub(crate) fn reachable_edges<'a>(
        &'a self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = EdgeId> + 'a {
        graph
            .edge_ids()
            .filter(|&edge| self.is_reachable(graph.edge(edge).from))
    }
}

/// Depth-first walk with its own stack, since methods can have thousands of blocks in a row.
fn postorder(graph: &Graph, retreating: &mut [bool]) -> Vec<BlockId> {
    let mut visit = vec![Visit::Unseen; graph.node_count()];
    let mut closed = Vec::with_capacity(graph.node_count());
    let mut stack: Vec<(BlockId, usize)> = vec![(graph.entry(), 0)];
    visit[graph.entry().index()] = Visit::Open;
    while let Some((block, next)) = stack.last_mut() {
        let Some(&edge) = graph.out_edges(*block).get(*next) else {
            visit[block.index()] = Visit::Closed;
            closed.push(*block);
            stack.pop();
            continue;
        };
        *next += 1;
        let to = graph.edge(edge).to;
        match visit[to.index()] {
            Visit::Unseen => {
                visit[to.index()] = Visit::Open;
                stack.push((to, 0));
            }
            Visit::Open => retreating[edge.index()] = true,
            Visit::Closed => {}
        }
    }
    closed
}

fn backwards_from_exit(graph: &Graph) -> Vec<bool> {
    let mut reaches = vec![false; graph.node_count()];
    reaches[graph.exit().index()] = true;
    let mut open = vec![graph.exit()];
    while let Some(block) = open.pop() {
        for &edge in graph.in_edges(block) {
            let from = graph.edge(edge).from;
            if !reaches[from.index()] {
                reaches[from.index()] = true;
                open.push(from);
            }
        }
    }
    reaches
}
