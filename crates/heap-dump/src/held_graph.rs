//! How firmly the roots hold each node, and the graph in which only that counts.
//!
//! | tier | a node is in it if |
//! |---|---|
//! | firm | references lead to it from a root |
//! | late | every way from a root has a *late* reference: one that does not keep anything by itself (the list of objects with a finalizer, queues of references) |
//! | unheld | nothing leads to it from a root: garbage, or held by something that the dump does not have |
//!
//! A reference counts if its target is in no firmer tier than its origin, and a late reference never counts if
//! its target is firm. So what is held late, or not at all, takes nothing away from the holders of firm nodes.

use std::collections::VecDeque;

use crate::graph::Graph;

/// How firmly a node is held; smaller is firmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// By references from a root.
    Firm,
    /// By late references only.
    Late,
    /// By nothing that the graph has.
    Unheld,
}

/// The tier of each node, and the roots.
#[derive(Clone, Debug, Default)]
pub struct Tiers {
    of: Vec<Tier>,
    roots: Vec<u32>,
    late_roots: Vec<u32>,
}

impl Tiers {
    /// Finds what the roots hold, and then what only late roots and late references hold.
    pub fn new(graph: &impl Graph, roots: &[u32], late_roots: &[u32]) -> Self {
        let mut of = vec![Tier::Unheld; graph.nodes()];
        let mut firm = Vec::new();
        let mut todo = roots.to_vec();
        while let Some(node) = todo.pop() {
            if take(&mut of, node, Tier::Firm) {
                todo.extend(graph.successors(node));
                firm.extend(Some(node).filter(|node| !graph.late_successors(*node).is_empty()));
            }
        }
        let is_free = |of: &[Tier], node: u32| of.get(node as usize) == Some(&Tier::Unheld);
        let late_roots: Vec<u32> = late_roots
            .iter()
            .copied()
            .filter(|root| is_free(&of, *root))
            .collect();
        todo.extend(&late_roots);
        firm.iter()
            .for_each(|node| todo.extend(graph.late_successors(*node)));
        while let Some(node) = todo.pop() {
            if take(&mut of, node, Tier::Late) {
                todo.extend(graph.successors(node));
                todo.extend(graph.late_successors(node));
            }
        }
        Self {
            of,
            roots: roots.to_vec(),
            late_roots,
        }
    }

    /// The tier of a node.
    pub fn of(&self, node: u32) -> Tier {
        self.of.get(node as usize).copied().unwrap_or(Tier::Unheld)
    }

    /// The roots of both kinds, firm ones first; a late root is not firm.
    pub fn roots(&self) -> impl Iterator<Item = u32> + Clone {
        self.roots.iter().chain(&self.late_roots).copied()
    }

    /// The roots of late nodes.
    pub fn late_roots(&self) -> &[u32] {
        &self.late_roots
    }

    /// The graph with the references that count.
    pub fn held<'a, G: Graph>(&'a self, graph: &'a G) -> HeldGraph<'a, G> {
        HeldGraph { graph, tiers: self }
    }
}

/// Puts a node that has no tier yet into one.
fn take(of: &mut [Tier], node: u32, tier: Tier) -> bool {
    match of.get_mut(node as usize) {
        Some(place) if *place == Tier::Unheld => {
            *place = tier;
            true
        }
        _ => false,
    }
}

/// A graph with the references that count.
#[derive(Debug)]
pub struct HeldGraph<'a, G> {
    graph: &'a G,
    /// The tiers of its nodes, and its roots.
    pub tiers: &'a Tiers,
}

impl<G: Graph> HeldGraph<'_, G> {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// The targets of the references that count.
    pub fn targets(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut at = 0;
        core::iter::from_fn(move || self.next_target(node, &mut at))
    }

    /// The targets of all references that are not late, whatever tiers they are in.
    pub(crate) fn firm_targets(&self, node: u32) -> &[u32] {
        self.graph.successors(node)
    }

    /// The referent of the node, if that is a soft reference.
    pub(crate) fn soft_target(&self, node: u32) -> Option<u32> {
        self.graph.soft_successor(node)
    }

    /// The target of the first reference that counts from this index on; the index goes past it.
    pub(crate) fn next_target(&self, node: u32, at: &mut u32) -> Option<u32> {
        let firm = self.graph.successors(node);
        let late = self.graph.late_successors(node);
        let from = self.tiers.of(node);
        loop {
            let index = *at as usize;
            let target = firm.get(index).or_else(|| late.get(index - firm.len()));
            *at += 1;
            let target = *target?;
            let to = self.tiers.of(target);
            let is_late = index >= firm.len();
            if to >= from && !(is_late && to == Tier::Firm) {
                return Some(target);
            }
        }
    }

    /// A shortest way from a root to a node, both included, without the references that `is_cut`.
    pub fn way_without(
        &self,
        orphans: &[u32],
        is_cut: impl Fn(u32, u32) -> bool,
        to: u32,
    ) -> Option<Vec<u32>> {
        const NOT_MET: u32 = u32::MAX;
        let mut before = vec![NOT_MET; self.nodes()];
        let mut todo = VecDeque::new();
        for root in self.tiers.roots().chain(orphans.iter().copied()) {
            let met = before.get_mut(root as usize)?;
            if *met == NOT_MET {
                *met = root;
                todo.push_back(root);
            }
        }
        while let Some(node) = todo.pop_front() {
            if node == to {
                let step = |node: &u32| {
                    let before = before.get(*node as usize).copied();
                    before.filter(|before| before != node)
                };
                let mut way: Vec<u32> = core::iter::successors(Some(node), step).collect();
                way.reverse();
                return Some(way);
            }
            for target in self.targets(node).filter(|target| !is_cut(node, *target)) {
                if let Some(met) = before
                    .get_mut(target as usize)
                    .filter(|met| **met == NOT_MET)
                {
                    *met = node;
                    todo.push_back(target);
                }
            }
        }
        None
    }

    /// Everything that is reached without going through a node or a reference
    /// that `is_cut`. Nodes that nothing holds are reached from their own kind.
    pub fn reached_without(
        &self,
        orphans: &[u32],
        is_gone: impl Fn(u32) -> bool,
        is_cut: impl Fn(u32, u32) -> bool,
    ) -> Vec<bool> {
        let mut is_reached = vec![false; self.nodes()];
        let mut todo: Vec<u32> = self.tiers.roots().chain(orphans.iter().copied()).collect();
        while let Some(node) = todo.pop() {
            let Some(flag) = is_reached.get_mut(node as usize) else {
                continue;
            };
            if *flag || is_gone(node) {
                continue;
            }
            *flag = true;
            todo.extend(self.targets(node).filter(|target| !is_cut(node, *target)));
        }
        is_reached
    }
}
