//! Numbers the nodes of a graph in the order of a depth-first search.
//!
//! A virtual root, number 0, leads to all roots. Nodes that no root reaches come last: first those without predecessors, then one node of
//! each remaining cycle. Each of these is an *orphan*, a child of the virtual root.

use crate::graph::Graph;
use crate::held_graph::HeldGraph;

/// The number of a node that was not visited.
const NOT_VISITED: u32 = 0;

/// The order of a depth-first search.
#[derive(Clone, Debug)]
pub(crate) struct DepthFirst {
    /// The node of each number; `node_of[0]` is the virtual root and meaningless.
    pub(crate) node_of: Vec<u32>,
    /// The number of each node.
    pub(crate) number_of: Vec<u32>,
    /// By number: the number from which it was visited.
    pub(crate) parent: Vec<u32>,
    /// Nodes that no root reaches, as children of the virtual root.
    pub(crate) orphans: Vec<u32>,
}

impl DepthFirst {
    pub(crate) fn new<G: Graph>(graph: &HeldGraph<'_, G>) -> Self {
        let nodes = graph.nodes();
        let mut search = Search {
            order: Self {
                node_of: Vec::with_capacity(nodes + 1),
                number_of: vec![NOT_VISITED; nodes],
                parent: Vec::with_capacity(nodes + 1),
                orphans: Vec::new(),
            },
            stack: Vec::new(),
        };
        search.order.node_of.push(u32::MAX);
        search.order.parent.push(0);
        for root in graph.tiers.roots() {
            search.from(graph, root);
        }
        for orphan in without_predecessor(graph, &search.order.number_of) {
            search.orphan(graph, orphan);
        }
        for node in 0..u32::try_from(nodes).unwrap_or(u32::MAX) {
            search.orphan(graph, node);
        }
        search.order
    }

    /// The number of a node.
    pub(crate) fn number(&self, node: u32) -> u32 {
        self.number_of
            .get(node as usize)
            .copied()
            .unwrap_or(NOT_VISITED)
    }
}

/// Unvisited nodes that no other unvisited node leads to, ascending.
fn without_predecessor<G: Graph>(graph: &HeldGraph<'_, G>, number_of: &[u32]) -> Vec<u32> {
    let is_unvisited = |node: u32| number_of.get(node as usize) == Some(&NOT_VISITED);
    let unvisited =
        || (0..u32::try_from(number_of.len()).unwrap_or(u32::MAX)).filter(|n| is_unvisited(*n));
    if unvisited().next().is_none() {
        return Vec::new();
    }
    let mut is_led_to = vec![false; number_of.len()];
    for node in unvisited() {
        for target in graph.targets(node).filter(|to| *to != node) {
            if let Some(flag) = is_led_to.get_mut(target as usize) {
                *flag = true;
            }
        }
    }
    unvisited()
        .filter(|node| is_led_to.get(*node as usize) == Some(&false))
        .collect()
}

struct Search {
    order: DepthFirst,
    /// The index of the next edge, for the current node and each node above it.
    stack: Vec<u32>,
}

impl Search {
    fn orphan<G: Graph>(&mut self, graph: &HeldGraph<'_, G>, node: u32) {
        if self.order.number(node) == NOT_VISITED {
            self.order.orphans.push(node);
            self.from(graph, node);
        }
    }

    fn from<G: Graph>(&mut self, graph: &HeldGraph<'_, G>, root: u32) {
        let Some(mut here) = self.visit(root, 0) else {
            return;
        };
        while let Some(next) = self.stack.last_mut() {
            let node = at(&self.order.node_of, here, u32::MAX);
            match graph.next_target(node, next) {
                Some(target) => here = self.visit(target, here).unwrap_or(here),
                None => {
                    self.stack.pop();
                    here = at(&self.order.parent, here, 0);
                }
            }
        }
    }

    /// Numbers a node, unless it has a number.
    fn visit(&mut self, node: u32, parent: u32) -> Option<u32> {
        let order = &mut self.order;
        let number = order.number_of.get_mut(node as usize);
        let number = number.filter(|number| **number == NOT_VISITED)?;
        *number = u32::try_from(order.node_of.len()).unwrap_or(u32::MAX);
        self.stack.push(0);
        order.node_of.push(node);
        order.parent.push(parent);
        Some(*number)
    }
}

fn at(list: &[u32], place: u32, none: u32) -> u32 {
    list.get(place as usize).copied().unwrap_or(none)
}
