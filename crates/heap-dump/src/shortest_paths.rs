//! Shortest paths from the roots to every node, as a tree.

use crate::graph::Graph;

/// Marks a node that is not reached; `ROOT` marks a root.
const NOTHING: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;

/// For each node, its predecessor on a shortest path from a root.
#[derive(Clone, Debug)]
pub struct ShortestPaths {
    before: Vec<u32>,
    /// All reached nodes, nearest first.
    order: Vec<u32>,
}

impl ShortestPaths {
    /// Searches breadth first, from one group of roots after the other. The direct successors of the first group count as being as near as
    /// the roots themselves.
    pub fn new(graph: &impl Graph, first: &[u32], others: &[u32], last: &[u32]) -> Self {
        let mut search = Search {
            before: vec![NOTHING; graph.nodes()],
            order: Vec::with_capacity(graph.nodes()),
            next: 0,
        };
        search.begin(first);
        for root in first {
            search.step(graph, *root);
        }
        search.begin(others);
        search.run(graph);
        search.begin(last);
        search.run(graph);
        Self {
            before: search.before,
            order: search.order,
        }
    }

    /// All reached nodes, nearest first; empty after [`ShortestPaths::forget_order`].
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Frees the memory of the order.
    pub fn forget_order(&mut self) {
        self.order = Vec::new();
    }

    /// The predecessor of this node on its path; `None` for a root.
    pub fn before(&self, node: u32) -> Option<u32> {
        let before = self.before.get(node as usize).copied();
        before.filter(|before| *before < ROOT)
    }

    /// True if a root leads to the node.
    pub fn is_reached(&self, node: u32) -> bool {
        self.before
            .get(node as usize)
            .is_some_and(|before| *before != NOTHING)
    }

    /// The path to a node, root first; only the last `most` nodes of a longer path.
    pub fn path(&self, node: u32, most: usize) -> Vec<u32> {
        let mut path: Vec<u32> = core::iter::successors(Some(node), |node| self.before(*node))
            .take(most)
            .collect();
        path.reverse();
        path
    }
}

struct Search {
    before: Vec<u32>,
    order: Vec<u32>,
    /// Nodes of `order` before this index have been processed.
    next: usize,
}

impl Search {
    fn begin(&mut self, roots: &[u32]) {
        for root in roots {
            self.reach(*root, ROOT);
        }
    }

    fn run(&mut self, graph: &impl Graph) {
        while let Some(node) = self.order.get(self.next).copied() {
            self.next += 1;
            self.step(graph, node);
        }
    }

    fn step(&mut self, graph: &impl Graph, node: u32) {
        for target in graph.successors(node) {
            self.reach(*target, node);
        }
    }

    fn reach(&mut self, node: u32, from: u32) {
        if let Some(place) = self.before.get_mut(node as usize)
            && *place == NOTHING
        {
            *place = from;
            self.order.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Lists;

    #[test]
    fn the_shorter_way_counts() {
        let mut graph = Lists::default();
        for targets in [&[1_u32, 2][..], &[3], &[3, 4], &[5], &[5], &[], &[6]] {
            targets.iter().for_each(|target| graph.push(*target));
            graph.end_list();
        }
        let paths = ShortestPaths::new(&graph, &[], &[0], &[]);
        assert_eq!(paths.path(5, 9), [0, 1, 3, 5]);
        assert_eq!(paths.path(5, 2), [3, 5]);
        assert!(!paths.is_reached(6));
        assert_eq!(paths.order(), [0, 1, 2, 3, 4, 5]);
        let paths = ShortestPaths::new(&graph, &[], &[6, 4, 0], &[]);
        assert_eq!(paths.path(5, 9), [4, 5]);
        assert_eq!(paths.path(6, 9), [6]);
        let paths = ShortestPaths::new(&graph, &[2], &[4, 1, 0], &[6]);
        assert_eq!(paths.path(4, 9), [2, 4], "what the first lead to is theirs");
        assert_eq!(paths.path(5, 9), [2, 3, 5]);
        assert_eq!(paths.path(6, 9), [6]);
    }
}
