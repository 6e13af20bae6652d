//! Shortest paths from the roots to every node, as a tree.

use crate::graph::Graph;
use crate::held_graph::{HeldGraph, Tier};

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

/// Which ways to a node come first, whatever their length: those that last.
#[derive(Clone, Copy, Debug, Default)]
pub struct WayOrder<'a> {
    /// The first roots are static fields: their direct successors are as near as the roots themselves.
    pub statics: usize,
    /// So many of the first roots last, these included. The others (local variables, references
    /// of native code) come and go: a way from them counts where no root that lasts leads to.
    pub lasting: usize,
    /// Nodes that are held by something outside of the graph.
    pub outside: &'a [u32],
    /// Nodes that nothing leads to.
    pub last: &'a [u32],
}

impl ShortestPaths {
    /// Searches breadth first, from one group of roots after the other. What is held firmly has a path without late references;
    /// and what has a way without soft references has no path with one, since these are gone before a heap is full.
    pub fn new<G: Graph>(held: &HeldGraph<'_, G>, ways: WayOrder<'_>) -> Self {
        let mut search = Search {
            before: vec![NOTHING; held.nodes()],
            order: Vec::with_capacity(held.nodes()),
            next: 0,
        };
        let late = held.tiers.late_roots();
        let firm = || {
            held.tiers
                .roots()
                .filter(|root| held.tiers.of(*root) == Tier::Firm)
        };
        search.begin(firm().take(ways.statics));
        for root in firm().take(ways.statics) {
            search.step(held, root, Tier::Firm);
        }
        search.begin(firm().take(ways.lasting).skip(ways.statics));
        search.run(held, Tier::Firm);
        search.begin(firm().skip(ways.lasting));
        search.run(held, Tier::Firm);
        search.begin(ways.outside.iter().copied());
        search.run_from_outside(held);
        search.soft(held);
        search.run(held, Tier::Firm);
        search.begin(late.iter().copied());
        for at in 0..search.order.len() {
            let node = search.order.get(at).copied();
            node.into_iter()
                .for_each(|node| search.step(held, node, Tier::Late));
        }
        search.run(held, Tier::Late);
        search.begin(ways.last.iter().copied());
        search.run(held, Tier::Unheld);
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
    fn begin(&mut self, roots: impl Iterator<Item = u32>) {
        roots.for_each(|root| self.reach(root, ROOT));
    }

    fn run<G: Graph>(&mut self, held: &HeldGraph<'_, G>, tier: Tier) {
        while let Some(node) = self.order.get(self.next).copied() {
            self.next += 1;
            self.step(held, node, tier);
        }
    }

    /// Reaches targets of all tiers: an object that a soft reference holds as well counts as firm, and its way from outside comes first.
    fn run_from_outside<G: Graph>(&mut self, held: &HeldGraph<'_, G>) {
        while let Some(node) = self.order.get(self.next).copied() {
            self.next += 1;
            let soft = held.soft_target(node);
            for target in held.firm_targets(node) {
                if Some(*target) != soft {
                    self.reach(*target, node);
                }
            }
        }
    }

    /// Reaches the targets of all soft references so far.
    fn soft<G: Graph>(&mut self, held: &HeldGraph<'_, G>) {
        for at in 0..self.order.len() {
            let node = self.order.get(at).copied();
            if let Some((node, target)) =
                node.and_then(|node| Some((node, held.soft_target(node)?)))
            {
                self.reach(target, node);
            }
        }
    }

    /// Reaches the targets of a node that are in this tier; those of soft references only if they are not firm: these come later.
    fn step<G: Graph>(&mut self, held: &HeldGraph<'_, G>, node: u32, tier: Tier) {
        let soft = held.soft_target(node).filter(|_| tier == Tier::Firm);
        for target in held.targets(node) {
            if held.tiers.of(target) == tier && Some(target) != soft {
                self.reach(target, node);
            }
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
    use crate::held_graph::Tiers;

    struct Late {
        firm: Lists,
        late: Lists,
    }

    impl Graph for Late {
        fn nodes(&self) -> usize {
            self.firm.nodes()
        }

        fn successors(&self, node: u32) -> &[u32] {
            self.firm.successors(node)
        }

        fn late_successors(&self, node: u32) -> &[u32] {
            self.late.successors(node)
        }
    }

    fn lists(edges: &[&[u32]]) -> Lists {
        let mut lists = Lists::default();
        for targets in edges {
            lists.extend(targets.iter().copied());
            lists.end_list();
        }
        lists
    }

    #[test]
    fn the_shorter_way_counts() {
        let graph = lists(&[&[1, 2], &[3], &[3, 4], &[5], &[5], &[], &[6]]);
        let paths = |statics: usize, roots: &[u32], last: &[u32]| {
            let tiers = Tiers::new(&graph, roots, &[]);
            let ways = WayOrder {
                statics,
                lasting: statics,
                outside: &[],
                last,
            };
            ShortestPaths::new(&tiers.held(&graph), ways)
        };
        let from_0 = paths(0, &[0], &[]);
        assert_eq!(from_0.path(5, 9), [0, 1, 3, 5]);
        assert_eq!(from_0.path(5, 2), [3, 5]);
        assert!(!from_0.is_reached(6));
        assert_eq!(from_0.order(), [0, 1, 2, 3, 4, 5]);
        let from_three = paths(0, &[6, 4, 0], &[]);
        assert_eq!(from_three.path(5, 9), [4, 5]);
        assert_eq!(from_three.path(6, 9), [6]);
        let statics = paths(1, &[2, 4, 1, 0], &[6]);
        assert_eq!(
            statics.path(4, 9),
            [2, 4],
            "what the first lead to is theirs"
        );
        assert_eq!(statics.path(5, 9), [2, 3, 5]);
        assert_eq!(statics.path(6, 9), [6]);
    }

    /// A list of finalizers (1, 2), near the root, refers late to what a pool (3, 4, 5) holds far from it.
    #[test]
    fn a_late_reference_hides_no_holder() {
        let graph = Late {
            firm: lists(&[&[3], &[], &[], &[4], &[5], &[6], &[], &[6]]),
            late: lists(&[&[1], &[2, 6], &[7], &[], &[], &[], &[], &[]]),
        };
        let tiers = Tiers::new(&graph, &[0], &[]);
        let held = tiers.held(&graph);
        let paths = ShortestPaths::new(&held, WayOrder::default());
        assert_eq!(paths.path(6, 9), [0, 3, 4, 5, 6]);
        assert_eq!(
            paths.path(7, 9),
            [0, 1, 2, 7],
            "without another way the late one is shown"
        );
        assert_eq!(tiers.of(7), Tier::Late);
        let tree = crate::DominatorTree::new(&held);
        let dominator = |node: u32| tree.node(tree.dominator(tree.number(node)));
        assert_eq!(
            (dominator(6), dominator(7), dominator(2)),
            (Some(5), Some(2), Some(1))
        );
    }
}
