//! Finds the loops of a graph for static estimates.
//!
//! A *header* is the target of a retreating edge. The *body* of its loop consists of the header and all
//! blocks after it in reverse postorder from which a source of its retreating edges can be reached over
//! such blocks. In a reducible graph these are the natural loops. In an irreducible graph a second entry
//! of a loop is simply a block of the body, which is good enough for an estimate and never matters for
//! exactness.

use crate::depth_first::DepthFirst;
use crate::graph::Graph;
use crate::index::BlockId;

/// One loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) header: BlockId,
    /// The body in reverse postorder, the header first.
    pub(crate) body: Vec<BlockId>,
}

/// All loops, inner before outer, and the innermost loop of each block.
#[derive(Clone, Debug)]
pub(crate) struct LoopNest {
    pub(crate) loops: Vec<Loop>,
    /// Per block: its innermost loop.
    innermost: Vec<Option<usize>>,
    /// Per loop: the innermost loop around it.
    parent: Vec<Option<usize>>,
    /// Per loop: its nesting depth, itself included.
    depth: Vec<u32>,
}

/// Bodies of nested loops overlap. Beyond this many listed blocks per block of the graph, outer
/// loops are left out, which keeps the cost linear.
const MOST_LISTED_PER_BLOCK: usize = 32;

impl LoopNest {
    pub(crate) fn of(graph: &Graph, walk: &DepthFirst) -> Self {
        let loops = find_loops(graph, walk);
        let mut nest = Self {
            innermost: vec![None; graph.node_count()],
            parent: vec![None; loops.len()],
            depth: Vec::new(),
            loops,
        };
        nest.link();
        nest
    }

    /// Whether `to` is in the innermost loop around `from`. True when `from` is in no loop.
    pub(crate) fn stays_inside(&self, from: BlockId, to: BlockId) -> bool {
        let Some(around) = self.innermost[from.index()] else {
            return true;
        };
        let mut inner = self.innermost[to.index()];
        while let Some(number) = inner {
            if number == around {
                return true;
            }
            if self.depth[number] <= self.depth[around] {
                return false;
            }
            inner = self.parent[number];
        }
        false
    }

    /// Loops are listed from inner to outer. So the first loop that claims a block is its innermost
    /// one, and the first later loop that contains a header is the parent of that header's loop.
    fn link(&mut self) {
        for (number, found) in self.loops.iter().enumerate() {
            for block in &found.body {
                match self.innermost[block.index()] {
                    None => self.innermost[block.index()] = Some(number),
                    Some(mut inner) => {
                        while let Some(next) = self.parent[inner] {
                            inner = next;
                        }
                        if inner != number {
                            self.parent[inner] = Some(number);
                        }
                    }
                }
            }
        }
        self.depth = vec![1; self.loops.len()];
        for number in (0..self.loops.len()).rev() {
            if let Some(parent) = self.parent[number] {
                self.depth[number] = self.depth[parent] + 1;
            }
        }
    }
}

/// Headers late in reverse postorder are inner, so walking it backwards gives inner loops first.
fn find_loops(graph: &Graph, walk: &DepthFirst) -> Vec<Loop> {
    let budget = graph.node_count() * MOST_LISTED_PER_BLOCK;
    let mut listed = 0;
    let mut loops = Vec::new();
    let mut mark = vec![None; graph.node_count()];
    for &header in walk.order.iter().rev() {
        let sources: Vec<BlockId> = graph
            .in_edges(header)
            .iter()
            .filter(|&&edge| walk.is_retreating(edge))
            .map(|&edge| graph.edge(edge).from)
            .collect();
        if sources.is_empty() {
            continue;
        }
        let body = loop_body(graph, walk, header, sources, &mut mark);
        listed += body.len();
        loops.push(Loop { header, body });
        if listed > budget {
            break;
        }
    }
    loops
}

fn loop_body(
    graph: &Graph,
    walk: &DepthFirst,
    header: BlockId,
    sources: Vec<BlockId>,
    mark: &mut [Option<BlockId>],
) -> Vec<BlockId> {
    let start = walk.position(header);
    let mut body = vec![header];
    mark[header.index()] = Some(header);
    let mut open = sources;
    while let Some(block) = open.pop() {
        let inside = walk.is_reachable(block) && walk.position(block) > start;
        if !inside || mark[block.index()] == Some(header) {
            continue;
        }
        mark[block.index()] = Some(header);
        body.push(block);
        open.extend(
            graph
                .in_edges(block)
                .iter()
                .map(|&edge| graph.edge(edge).from),
        );
    }
    body.sort_unstable_by_key(|&block| walk.position(block));
    body
}
