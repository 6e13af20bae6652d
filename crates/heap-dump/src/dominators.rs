//! Immediate dominators, by the Semi-NCA algorithm (Georgiadis, Tarjan, Werneck: Finding dominators in practice, 2006; after
//! Lengauer and Tarjan, 1979).
//!
//! Node d *dominates* node n if every path from the roots to n goes through d. The *immediate* dominator is the nearest. A node
//! *retains* itself and everything that it dominates: the bytes that would be freed without it.
//!
//! ```text
//! semi(w)  = the smallest number from which a path leads to w whose inner nodes all have larger numbers than w
//! idom(w)  = the nearest common ancestor, in the tree of the search, of w's parent and semi(w)
//! ```
//!
//! Roots, and which references count, are those of a [`HeldGraph`]: what is held less firmly is no holder of what is held more firmly.
//!
//! Petgraph's dominators (the reference in the tests) keep hash maps by node. A dump of 2 GB has 40 million nodes, so all tables here are
//! vectors of `u32`.

use crate::depth_first::DepthFirst;
use crate::graph::{Graph, Lists};
use crate::held_graph::HeldGraph;

/// The tree of immediate dominators.
///
/// Nodes have *numbers* in it, from 1, such that each node is directly followed by all nodes that it dominates. Number 0 is the
/// virtual root above all roots.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// By number.
    idom: Vec<u32>,
    node_of: Vec<u32>,
    number_of: Vec<u32>,
    orphans: Vec<u32>,
}

/// The state of a number during the search for dominators.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its parent in the search, or a more distant ancestor after path compression.
    ancestor: u32,
    /// The smallest semi-dominator between here and `ancestor`.
    least: u32,
}

impl DominatorTree {
    /// Finds the dominators of all nodes, as seen from the roots.
    pub fn new<G: Graph>(graph: &HeldGraph<'_, G>) -> Self {
        let order = DepthFirst::new(graph);
        let predecessors = predecessors(graph, &order);
        let DepthFirst {
            node_of,
            number_of,
            parent,
            orphans,
        } = order;
        // This table is built again at the end; until then its memory is free for other tables.
        drop(number_of);
        let semis = semi_dominators(&parent, &predecessors);
        drop(predecessors);
        let idom = immediate(parent, &semis);
        drop(semis);
        let (idom, node_of) = in_preorder(idom, node_of);
        let mut number_of = vec![0; graph.nodes()];
        for (number, node) in (0_u32..).zip(&node_of).skip(1) {
            if let Some(place) = number_of.get_mut(*node as usize) {
                *place = number;
            }
        }
        Self {
            idom,
            node_of,
            number_of,
            orphans,
        }
    }

    /// Nodes that no root reaches; they are children of the virtual root.
    pub fn orphans(&self) -> &[u32] {
        &self.orphans
    }

    /// How many numbers there are, including the virtual root's.
    pub fn numbers(&self) -> usize {
        self.idom.len()
    }

    /// The number of a node.
    pub fn number(&self, node: u32) -> u32 {
        self.number_of.get(node as usize).copied().unwrap_or(0)
    }

    /// The node with a number; `None` for the virtual root.
    pub fn node(&self, number: u32) -> Option<u32> {
        let node = self.node_of.get(number as usize).copied()?;
        (number > 0).then_some(node)
    }

    /// The number of the immediate dominator of a number.
    pub fn dominator(&self, number: u32) -> u32 {
        self.idom.get(number as usize).copied().unwrap_or(0)
    }

    /// Retained bytes by number; `bytes` returns the bytes of a node itself.
    pub fn retained(&self, bytes: impl Fn(u32) -> u64) -> Vec<u64> {
        let own = |number: u32| self.node(number).map_or(0, &bytes);
        let numbers = u32::try_from(self.idom.len()).unwrap_or(u32::MAX);
        let mut retained: Vec<u64> = (0..numbers).map(own).collect();
        for number in (1..retained.len()).rev() {
            let own = retained.get(number).copied().unwrap_or(0);
            let idom = self.idom.get(number).map_or(0, |idom| *idom as usize);
            if let Some(above) = retained.get_mut(idom) {
                *above = above.saturating_add(own);
            }
        }
        retained
    }

    /// For each group, the sum of retained bytes of those members that no other member dominates: at least this would be freed without the
    /// group.
    pub fn retained_by_group(
        &self,
        groups: usize,
        group_of: impl Fn(u32) -> Option<u32>,
        retained: &[u64],
    ) -> Vec<u64> {
        let mut sums = vec![0_u64; groups];
        // For each group, how many of the ancestors of the current number are members.
        let mut above = vec![0_u32; groups];
        let group = |number: u32| self.node(number).and_then(&group_of);
        let mut stack: Vec<u32> = vec![0];
        for (number, idom) in (0_u32..).zip(&self.idom).skip(1) {
            while let Some(top) = stack.pop_if(|top| top != idom) {
                leave(group(top), &mut above);
            }
            let bytes = || retained.get(number as usize).copied().unwrap_or(0);
            if let Some((group, bytes)) = enter(group(number), &mut above, bytes)
                && let Some(sum) = sums.get_mut(group)
            {
                *sum = sum.saturating_add(bytes);
            }
            stack.push(number);
        }
        sums
    }
}

fn leave(group: Option<u32>, above: &mut [u32]) {
    if let Some(count) = group.and_then(|group| above.get_mut(group as usize)) {
        *count = count.saturating_sub(1);
    }
}

/// Counts a member; returns its group and bytes if it is the topmost.
fn enter(group: Option<u32>, above: &mut [u32], bytes: impl Fn() -> u64) -> Option<(usize, u64)> {
    let group = group? as usize;
    let count = above.get_mut(group)?;
    *count += 1;
    (*count == 1).then(|| (group, bytes()))
}

/// For each number, the numbers that lead to it, including the virtual root.
fn predecessors<G: Graph>(graph: &HeldGraph<'_, G>, order: &DepthFirst) -> Lists {
    Lists::grouped(order.node_of.len(), |give| {
        for root in graph.tiers.roots().chain(order.orphans.iter().copied()) {
            give(order.number(root), 0);
        }
        for (number, node) in (0_u32..).zip(&order.node_of).skip(1) {
            for target in graph.targets(*node) {
                give(order.number(target), number);
            }
        }
    })
}

/// The semi-dominator of each number.
fn semi_dominators(parent: &[u32], predecessors: &Lists) -> Vec<u32> {
    let numbers = u32::try_from(parent.len()).unwrap_or(u32::MAX);
    let mut entries: Vec<Entry> = (0_u32..)
        .zip(parent)
        .map(|(number, parent)| Entry {
            ancestor: *parent,
            least: number,
        })
        .collect();
    let mut semis: Vec<u32> = (0..numbers).collect();
    let mut path = Vec::new();
    for number in (1..entries.len()).rev() {
        let Some(entry) = entries.get(number) else {
            break;
        };
        let mut semi = entry.ancestor;
        let linked = u32::try_from(number + 1).unwrap_or(u32::MAX);
        for predecessor in predecessors.list(number) {
            semi = semi.min(evaluate(&mut entries, *predecessor, linked, &mut path));
        }
        if let (Some(entry), Some(place)) = (entries.get_mut(number), semis.get_mut(number)) {
            entry.least = semi;
            *place = semi;
        }
    }
    semis
}

/// The smallest semi-dominator between `number` and the root of its tree in the forest of numbers from `linked` on. Compresses the
/// path.
fn evaluate(entries: &mut [Entry], number: u32, linked: u32, path: &mut Vec<u32>) -> u32 {
    let at = |entries: &[Entry], number: u32| {
        entries.get(number as usize).copied().unwrap_or(Entry {
            ancestor: 0,
            least: 0,
        })
    };
    let mut here = number;
    path.clear();
    while at(entries, here).ancestor >= linked {
        path.push(here);
        here = at(entries, here).ancestor;
    }
    let mut above = at(entries, here);
    while let Some(below) = path.pop() {
        let entry = Entry {
            ancestor: above.ancestor,
            least: at(entries, below).least.min(above.least),
        };
        if let Some(place) = entries.get_mut(below as usize) {
            *place = entry;
        }
        above = entry;
    }
    above.least
}

/// Walks up from each parent until the semi-dominator is reached or passed.
fn immediate(mut idom: Vec<u32>, semis: &[u32]) -> Vec<u32> {
    for number in 1..idom.len() {
        let semi = semis.get(number).copied().unwrap_or(0);
        let mut candidate = idom.get(number).copied().unwrap_or(0);
        while candidate > semi {
            candidate = idom.get(candidate as usize).copied().unwrap_or(0);
        }
        if let Some(place) = idom.get_mut(number) {
            *place = candidate;
        }
    }
    idom
}

/// Renumbers the nodes so that each is followed by all nodes that it dominates; returns immediate dominators and nodes by new
/// number.
fn in_preorder(idom: Vec<u32>, node_of: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
    let at = |list: &[u32], place: u32| list.get(place as usize).copied().unwrap_or(0);
    let set = |list: &mut [u32], place: u32, value: u32| {
        if let Some(slot) = list.get_mut(place as usize) {
            *slot = value;
        }
    };
    // Number of nodes that each number dominates, itself included. Dominators have lower numbers.
    let mut sizes = vec![1_u32; idom.len()];
    for number in (1..u32::try_from(idom.len()).unwrap_or(u32::MAX)).rev() {
        let above = at(&idom, number);
        let size = at(&sizes, number).saturating_add(at(&sizes, above));
        set(&mut sizes, above, size);
    }
    let mut new_number = vec![0_u32; idom.len()];
    // By old number: the next free new number among the nodes that it dominates.
    let mut next = vec![1_u32; idom.len()];
    for (number, idom) in (0_u32..).zip(&idom).skip(1) {
        let new = at(&next, *idom);
        set(&mut next, *idom, new.saturating_add(at(&sizes, number)));
        set(&mut next, number, new.saturating_add(1));
        set(&mut new_number, number, new);
    }
    drop((sizes, next));
    let mut new_idom = vec![0_u32; idom.len()];
    for (new, idom) in new_number.iter().zip(&idom) {
        set(&mut new_idom, *new, at(&new_number, *idom));
    }
    drop(idom);
    let mut new_node_of = vec![u32::MAX; node_of.len()];
    for (new, node) in new_number.iter().zip(&node_of) {
        set(&mut new_node_of, *new, *node);
    }
    (new_idom, new_node_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::held_graph::{Tier, Tiers};
    use petgraph::algo::dominators::simple_fast;
    use petgraph::graph::DiGraph;
    use proptest::prelude::*;

    type Edges = Vec<Vec<u32>>;

    fn lists(edges: &Edges) -> Lists {
        let mut lists = Lists::default();
        for targets in edges {
            targets.iter().for_each(|target| lists.push(*target));
            lists.end_list();
        }
        lists
    }

    /// Nodes that the roots reach without going through `without`.
    fn reached(edges: &Edges, roots: &[u32], without: Option<u32>) -> Vec<bool> {
        let mut reached = vec![false; edges.len()];
        let mut todo: Vec<u32> = roots.to_vec();
        while let Some(node) = todo.pop() {
            if Some(node) != without && !core::mem::replace(&mut reached[node as usize], true) {
                todo.extend(&edges[node as usize]);
            }
        }
        reached
    }

    /// A graph with late edges.
    #[derive(Clone, Debug)]
    struct Random {
        firm: Edges,
        late: Edges,
        lists: (Lists, Lists),
        roots: Vec<u32>,
        late_roots: Vec<u32>,
    }

    impl Graph for Random {
        fn nodes(&self) -> usize {
            self.firm.len()
        }

        fn successors(&self, node: u32) -> &[u32] {
            self.lists.0.successors(node)
        }

        fn late_successors(&self, node: u32) -> &[u32] {
            self.lists.1.successors(node)
        }
    }

    impl Random {
        fn tree(&self) -> (Tiers, DominatorTree) {
            let tiers = Tiers::new(self, &self.roots, &self.late_roots);
            let tree = DominatorTree::new(&tiers.held(self));
            (tiers, tree)
        }

        /// The edges that count, and the roots, worked out from what the words say: what firm
        /// edges reach from the roots is firm; what any edge reaches from a root is at least late.
        fn held(&self) -> (Edges, Vec<u32>, Vec<u8>) {
            let both: Edges = self
                .firm
                .iter()
                .zip(&self.late)
                .map(|(a, b)| [&a[..], b].concat())
                .collect();
            let firm = reached(&self.firm, &self.roots, None);
            let all: Vec<u32> = self.roots.iter().chain(&self.late_roots).copied().collect();
            let any = reached(&both, &all, None);
            let tier = |node: usize| u8::from(!firm[node]) + u8::from(!any[node]);
            let edges = (0..self.firm.len()).map(|from| {
                let counts = |to: &&u32| tier(from) <= tier(**to as usize);
                let late = self.late[from].iter().filter(|to| tier(**to as usize) > 0);
                self.firm[from]
                    .iter()
                    .chain(late)
                    .filter(counts)
                    .copied()
                    .collect()
            });
            let roots = all.iter().enumerate();
            let is_root =
                |(at, root): &(usize, &u32)| *at < self.roots.len() || tier(**root as usize) > 0;
            let roots = roots.filter(is_root).map(|(_, root)| *root).collect();
            (
                edges.collect(),
                roots,
                (0..self.firm.len()).map(tier).collect(),
            )
        }
    }

    fn random_graph() -> impl Strategy<Value = Random> {
        (1_u32..24).prop_flat_map(|nodes| {
            let edges = |most| {
                prop::collection::vec(prop::collection::vec(0..nodes, 0..most), nodes as usize)
            };
            let roots = prop::collection::vec(0..nodes, 1..4);
            let late_roots = prop::collection::vec(0..nodes, 0..2);
            let all = (edges(4), edges(2), roots, late_roots);
            all.prop_map(|(firm, late, roots, late_roots)| Random {
                lists: (lists(&firm), lists(&late)),
                firm,
                late,
                roots,
                late_roots,
            })
        })
    }

    #[test]
    fn the_example_of_lengauer_and_tarjan() {
        // R A B C D E F G H I J K L, numbered in this order.
        let edges: Edges = vec![
            vec![1, 2, 3],
            vec![4],
            vec![1, 4, 5],
            vec![6, 7],
            vec![12],
            vec![8],
            vec![9],
            vec![9, 10],
            vec![5, 11],
            vec![11],
            vec![9],
            vec![9, 0],
            vec![8],
        ];
        let graph = lists(&edges);
        let tree = DominatorTree::new(&Tiers::new(&graph, &[0], &[]).held(&graph));
        let idom = |node| tree.node(tree.dominator(tree.number(node)));
        let expected = [
            None,
            Some(0),
            Some(0),
            Some(0),
            Some(0),
            Some(0),
            Some(3),
            Some(3),
            Some(0),
            Some(0),
            Some(7),
            Some(0),
            Some(4),
        ];
        for (node, expected) in (0..).zip(expected) {
            assert_eq!(idom(node), expected, "node {node}");
        }
    }

    proptest! {
        #[test]
        fn dominators_are_petgraphs(random in random_graph()) {
            let (tiers, tree) = random.tree();
            let (edges, roots, tier) = random.held();
            let mut graph = DiGraph::<(), ()>::new();
            let nodes: Vec<_> = edges.iter().map(|_| graph.add_node(())).collect();
            let top = graph.add_node(());
            for (from, targets) in edges.iter().enumerate() {
                for to in targets {
                    graph.add_edge(nodes[from], nodes[*to as usize], ());
                }
            }
            for root in roots.iter().chain(tree.orphans()) {
                graph.add_edge(top, nodes[*root as usize], ());
            }
            let theirs = simple_fast(&graph, top);
            for node in 0..edges.len() as u32 {
                let idom = tree.node(tree.dominator(tree.number(node)));
                let expected = theirs.immediate_dominator(nodes[node as usize]);
                prop_assert_eq!(idom.map_or(top, |idom| nodes[idom as usize]), expected.expect("reached"));
                prop_assert_eq!(tiers.of(node), [Tier::Firm, Tier::Late, Tier::Unheld][tier[node as usize] as usize]);
            }
        }

        #[test]
        fn what_is_retained_is_what_cannot_be_reached_without(random in random_graph()) {
            let (tiers, tree) = random.tree();
            let (edges, roots, _) = random.held();
            let bytes = |node: u32| 1 << node;
            let retained = tree.retained(bytes);
            let all_roots: Vec<u32> = roots.iter().chain(tree.orphans()).copied().collect();
            for node in 0..edges.len() as u32 {
                let left = reached(&edges, &all_roots, Some(node));
                let gone = (0..).zip(&left).filter(|(_, left)| !**left).map(|(node, _)| bytes(node)).sum::<u64>();
                prop_assert_eq!(retained[tree.number(node) as usize], gone);
                let held = tiers.held(&random);
                prop_assert_eq!(left, held.reached_without(tree.orphans(), |other| other == node, |_, _| false));
            }
        }

        #[test]
        fn a_group_retains_what_its_topmost_members_do(random in random_graph(), groups in prop::collection::vec(0_u32..4, 24)) {
            let (_, tree) = random.tree();
            let retained = tree.retained(|_| 8);
            let group = |node: u32| groups.get(node as usize).copied().filter(|group| *group < 3);
            let sums = tree.retained_by_group(3, group, &retained);
            for (which, sum) in (0_u32..).zip(sums) {
                let mut expected = 0;
                for number in 1..tree.numbers() as u32 {
                    let is_member = |number: u32| tree.node(number).and_then(group) == Some(which);
                    let mut above = tree.dominator(number);
                    while above != 0 && !is_member(above) {
                        above = tree.dominator(above);
                    }
                    if is_member(number) && above == 0 {
                        expected += retained[number as usize];
                    }
                }
                prop_assert_eq!(sum, expected);
            }
        }

        #[test]
        fn after_each_number_comes_what_it_dominates(random in random_graph()) {
            let (_, tree) = random.tree();
            let numbers = tree.numbers() as u32;
            for number in 1..numbers {
                prop_assert_eq!(tree.number(tree.node(number).expect("a node")), number);
                let is_below = |other: u32| {
                    let mut above = other;
                    while above > number {
                        above = tree.dominator(above);
                    }
                    above == number
                };
                let below = (number..numbers).filter(|other| is_below(*other)).count();
                prop_assert!((number..number + below as u32).all(is_below));
            }
        }

        #[test]
        fn orphans_are_what_no_root_reaches(random in random_graph()) {
            let (tiers, tree) = random.tree();
            prop_assert_eq!(tree.numbers(), random.firm.len() + 1);
            for orphan in tree.orphans() {
                prop_assert_eq!(tiers.of(*orphan), Tier::Unheld);
            }
        }
    }

    #[test]
    fn a_list_of_a_million_needs_no_deep_stack() {
        let nodes = 1_000_000_u32;
        let mut list = Lists::default();
        for node in 1..=nodes {
            if node < nodes {
                list.push(node);
            }
            list.end_list();
        }
        let tree = DominatorTree::new(&Tiers::new(&list, &[0], &[]).held(&list));
        let retained = tree.retained(|_| 16);
        assert_eq!(retained[tree.number(0) as usize], 16_000_000);
        let sums = tree.retained_by_group(1, |_| Some(0), &retained);
        assert_eq!(sums, [16_000_000]);
    }
}
