//! For each reachable object the shortest chain of references that holds it, from a static field, a thread, a frame or another root.

use std::collections::VecDeque;

use ducktrack_jvmti::HeapReferenceKind;

use super::heap_graph::{Edge, HeapGraph, Node, ROOTS};

/// Chains of references from roots, as a tree.
pub(super) struct Holders<'a> {
    graph: &'a HeapGraph,
    /// The edge that leads to each node, if strong references lead to it.
    by: Vec<Option<u32>>,
}

impl<'a> Holders<'a> {
    /// Searches from all roots at once. Static fields count as roots: a reader
    /// knows them by name. References for which `is_weak` holds are not followed.
    pub(super) fn of(graph: &'a HeapGraph, mut is_weak: impl FnMut(&Edge) -> bool) -> Self {
        let nodes = graph.class_of.len();
        let starts = starts(&graph.edges, nodes);
        let mut order = vec![0_u32; graph.edges.len()];
        let mut next = starts.clone();
        for (number, edge) in graph.edges.iter().enumerate() {
            if let Some(at) = next.get_mut(edge.from.0 as usize) {
                if let Some(place) = order.get_mut(*at as usize) {
                    *place = u32::try_from(number).unwrap_or(u32::MAX);
                }
                *at += 1;
            }
        }
        let mut holders = Self {
            graph,
            by: vec![None; nodes],
        };
        let mut waiting = VecDeque::new();
        for rank in 0..=LAST_RANK {
            for (number, edge) in graph.edges.iter().enumerate() {
                if rank_of(edge) == Some(rank) {
                    holders.reach(number, edge, &mut waiting);
                }
            }
        }
        while let Some(Node(node)) = waiting.pop_front() {
            let at = node as usize;
            let (from, to) = (starts.get(at).copied(), starts.get(at + 1).copied());
            let range = from.unwrap_or(0) as usize..to.unwrap_or(0) as usize;
            for number in order.get(range).unwrap_or_default() {
                if let Some(edge) = graph.edges.get(*number as usize)
                    && !is_weak(edge)
                {
                    holders.reach(*number as usize, edge, &mut waiting);
                }
            }
        }
        holders
    }

    fn reach(&mut self, number: usize, edge: &Edge, waiting: &mut VecDeque<Node>) {
        if let Some(by @ None) = self.by.get_mut(edge.to.0 as usize) {
            *by = u32::try_from(number).ok();
            waiting.push_back(edge.to);
        }
    }

    /// Whether something holds the object.
    pub(super) fn is_held(&self, node: Node) -> bool {
        self.by.get(node.0 as usize).is_some_and(Option::is_some)
    }

    /// The references from an object outward to the root.
    pub(super) fn chain(&self, node: Node) -> Vec<Edge> {
        let mut chain: Vec<Edge> = Vec::new();
        let mut at = node;
        // No chain of a tree is longer than the tree.
        while let Some(edge) = self.by.get(at.0 as usize).copied().flatten() {
            let Some(edge) = self.graph.edges.get(edge as usize) else {
                break;
            };
            chain.push(*edge);
            if rank_of(edge).is_some() || chain.len() > self.by.len() {
                break;
            }
            at = edge.from;
        }
        chain
    }
}

/// Roots that a reader can name come first.
const LAST_RANK: u8 = 4;

fn rank_of(edge: &Edge) -> Option<u8> {
    match edge.kind {
        HeapReferenceKind::STATIC_FIELD => Some(0),
        _ if edge.from != ROOTS => None,
        HeapReferenceKind::THREAD => Some(1),
        HeapReferenceKind::JNI_GLOBAL => Some(2),
        HeapReferenceKind::STACK_LOCAL | HeapReferenceKind::JNI_LOCAL => Some(3),
        _ => Some(LAST_RANK),
    }
}

/// Where the edges of each node begin, if edges are sorted by the node that they come from.
fn starts(edges: &[Edge], nodes: usize) -> Vec<u32> {
    let mut starts = vec![0_u32; nodes + 2];
    for edge in edges {
        if let Some(count) = starts.get_mut(edge.from.0 as usize + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}
