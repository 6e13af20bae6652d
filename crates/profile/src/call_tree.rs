//! Stacks as a tree: from the first frame of each thread down to the objects, or from the objects up to the first
//! frames.

use std::sync::Arc;

use ducktrack_count_model::Tally;
use rustc_hash::FxHashMap;

use crate::interval::Interval;
use crate::profile::{FrameIndex, Profile, ProfileRow};
use crate::unit::Unit;

/// Which end of the stacks is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Callers contain their callees; types are the leaves.
    #[default]
    TopDown,
    /// Types contain the sites that allocate them, and sites contain their callers.
    BottomUp,
}

/// The meaning of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeLabel {
    /// The whole profile.
    Root,
    /// A frame.
    Frame(FrameIndex),
    /// Objects of a type, as a descriptor; `None` if unknown.
    Type(Option<Arc<str>>),
}

/// A node and everything below it.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// The represented frame.
    pub label: NodeLabel,
    /// Index of the parent; the root is its own parent.
    pub parent: usize,
    /// Steps from the root.
    pub depth: usize,
    /// Indices, in descending order of their totals in the tree's unit.
    pub children: Vec<usize>,
    /// Total of everything below it.
    pub tally: Tally,
    /// Indices of its rows in [`Profile::rows`].
    rows: Vec<u32>,
}

/// A tree over a profile.
#[derive(Clone, Debug)]
pub struct CallTree<'a> {
    profile: &'a Profile,
    direction: Direction,
    unit: Unit,
    /// The first is the root; each node precedes its children.
    pub nodes: Vec<TreeNode>,
}

impl<'a> CallTree<'a> {
    /// The tree of a profile, with children ordered by `unit`.
    pub fn new(profile: &'a Profile, direction: Direction, unit: Unit) -> Self {
        let root = TreeNode {
            label: NodeLabel::Root,
            parent: 0,
            depth: 0,
            children: Vec::new(),
            tally: Tally::default(),
            rows: Vec::new(),
        };
        let mut tree = Self {
            profile,
            direction,
            unit,
            nodes: vec![root],
        };
        let mut known: FxHashMap<(usize, NodeLabel), usize> = FxHashMap::default();
        for (at, row) in profile.rows.iter().enumerate() {
            tree.add(u32::try_from(at).unwrap_or(u32::MAX), row, &mut known);
        }
        tree.sort();
        tree
    }

    fn add(&mut self, at: u32, row: &ProfileRow, known: &mut FxHashMap<(usize, NodeLabel), usize>) {
        let frames = self.profile.frames_of(row.stack).map(NodeLabel::Frame);
        let ty = NodeLabel::Type(row.ty.clone());
        let mut path: Vec<NodeLabel> = std::iter::once(ty).chain(frames).collect();
        if self.direction == Direction::TopDown {
            path.reverse();
        }
        let mut node = 0;
        self.count(node, at, row.tally);
        for label in path {
            let nodes = &mut self.nodes;
            let parent = node;
            node = *known
                .entry((parent, label))
                .or_insert_with_key(|(_, label)| {
                    let depth = nodes.get(parent).map_or(0, |node| node.depth) + 1;
                    nodes.push(TreeNode {
                        label: label.clone(),
                        parent,
                        depth,
                        children: Vec::new(),
                        tally: Tally::default(),
                        rows: Vec::new(),
                    });
                    nodes.len() - 1
                });
            self.count(node, at, row.tally);
        }
    }

    fn count(&mut self, node: usize, row: u32, tally: Tally) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.tally += tally;
            node.rows.push(row);
        }
    }

    fn sort(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            if let Some(siblings) = children.get_mut(node.parent) {
                siblings.push(at);
            }
        }
        let unit = self.unit;
        let value = |at: &usize| self.nodes.get(*at).map_or(0, |node| unit.of(node.tally));
        for siblings in &mut children {
            siblings.sort_by_key(|at| (std::cmp::Reverse(value(at)), *at));
        }
        for (node, children) in self.nodes.iter_mut().zip(children) {
            node.children = children;
        }
    }

    /// The node at an index; the root for an index outside of the tree.
    pub fn node(&self, at: usize) -> &TreeNode {
        self.nodes.get(at).unwrap_or(&self.nodes[0])
    }

    /// Whether the total of a node is exact: it is for the root, types, sites, and everything without stacks.
    pub fn is_exact(&self, at: usize) -> bool {
        let node = self.node(at);
        let estimated = self.rows(node).any(|row| self.profile.has_stack(row));
        match self.direction {
            Direction::TopDown => node.depth == 0 || !estimated,
            Direction::BottomUp => node.depth <= 2 || !estimated,
        }
    }

    /// The interval of a node's true total.
    pub fn interval(&self, at: usize) -> Interval {
        let node = self.node(at);
        let rows = || self.rows(node);
        match (self.is_exact(at), self.direction) {
            (true, _) => Interval::exact(self.unit.of(node.tally) as f64),
            (false, Direction::TopDown) => self.profile.inclusive_interval(rows(), self.unit),
            // All rows of a type and a site are below it, with stacks or without.
            (false, Direction::BottomUp) => self.profile.interval(rows(), self.unit),
        }
    }

    fn rows<'n>(
        &self,
        node: &'n TreeNode,
    ) -> impl Iterator<Item = &'a ProfileRow> + Clone + use<'a, 'n> {
        let rows = &self.profile.rows;
        node.rows.iter().filter_map(|at| rows.get(*at as usize))
    }

    /// Samples below a node.
    pub fn samples(&self, at: usize) -> u64 {
        self.rows(self.node(at)).map(|row| row.samples).sum()
    }
}
