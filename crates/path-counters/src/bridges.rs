//! Bridges: edges whose removal would disconnect an undirected graph (R. E. Tarjan, 1974).
//!
//! A depth-first walk gives each node a number; `low` of a node is the smallest number that it or a node
//! below it reaches by one edge outside of the walk's tree. The walk's edge into a node is a bridge if `low`
//! of the node is not smaller than its number. Parallel edges are told apart by their ids, so they are never
//! bridges; a self-loop never is either.

use crate::index::EdgeId;

const UNSEEN: u32 = u32::MAX;

/// Whether each listed edge is a bridge, in the same order. `ends` has the two nodes of each edge id.
pub(crate) fn bridges(nodes: usize, edges: &[EdgeId], ends: &[(usize, usize)]) -> Vec<bool> {
    let mut search = Search::new(nodes, edges, ends);
    for root in 0..nodes {
        if search.number[root] == UNSEEN && !search.touching[root].is_empty() {
            search.walk_from(root);
        }
    }
    search.is_bridge
}

struct Search {
    /// Per node: positions in the list of edges, and the other node.
    touching: Vec<Vec<(usize, usize)>>,
    number: Vec<u32>,
    low: Vec<u32>,
    next_number: u32,
    is_bridge: Vec<bool>,
}

/// A node on the walk's stack.
struct Open {
    node: usize,
    /// Position of the edge on which the walk arrived.
    came_by: Option<usize>,
    next: usize,
}

impl Search {
    fn new(nodes: usize, edges: &[EdgeId], ends: &[(usize, usize)]) -> Self {
        let mut touching = vec![Vec::new(); nodes];
        for (position, edge) in edges.iter().enumerate() {
            let (from, to) = ends[edge.index()];
            touching[from].push((position, to));
            touching[to].push((position, from));
        }
        Self {
            touching,
            number: vec![UNSEEN; nodes],
            low: vec![UNSEEN; nodes],
            next_number: 0,
            is_bridge: vec![false; edges.len()],
        }
    }

    fn enter(&mut self, node: usize) {
        self.number[node] = self.next_number;
        self.low[node] = self.next_number;
        self.next_number += 1;
    }

    fn walk_from(&mut self, root: usize) {
        self.enter(root);
        let mut stack = vec![Open {
            node: root,
            came_by: None,
            next: 0,
        }];
        while let Some(top) = stack.last_mut() {
            let (node, came_by) = (top.node, top.came_by);
            if let Some(&(edge, other)) = self.touching[node].get(top.next) {
                top.next += 1;
                if Some(edge) == came_by {
                    continue;
                }
                if self.number[other] == UNSEEN {
                    self.enter(other);
                    stack.push(Open {
                        node: other,
                        came_by: Some(edge),
                        next: 0,
                    });
                } else {
                    self.low[node] = self.low[node].min(self.number[other]);
                }
                continue;
            }
            stack.pop();
            if let (Some(parent), Some(edge)) = (stack.last(), came_by) {
                self.low[parent.node] = self.low[parent.node].min(self.low[node]);
                self.is_bridge[edge] = self.low[node] == self.number[node];
            }
        }
    }
}
