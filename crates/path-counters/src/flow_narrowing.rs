//! Ranges for edges that the counts do not determine.
//!
//! Conservation bounds each edge by the other edges at its block. An outgoing edge carries at most the
//! maximal inflow minus the minimum of the other outgoing edges, and at least the minimal inflow minus
//! their maximum; likewise for incoming edges. Dominance bounds whole blocks by each other. The bounds are
//! tightened in turns until nothing changes, at most [`MOST_ROUNDS`] times.

use crate::dominance::{RunsNoMoreOften, inequalities};
use crate::flow_range::FlowRange;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};

const MOST_ROUNDS: usize = 24;

/// Computes a range for each edge.
pub(crate) fn narrow(graph: &Graph, known: &[Option<u64>]) -> Vec<FlowRange> {
    let open = FlowRange {
        least: 0,
        most: None,
    };
    let ranges = known
        .iter()
        .map(|count| count.map_or(open, FlowRange::exactly))
        .collect();
    let mut narrowing = Narrowing {
        graph,
        ranges,
        changed: false,
    };
    if known.iter().any(Option::is_none) {
        narrowing.run(&inequalities(graph));
    }
    narrowing.ranges
}

struct Narrowing<'a> {
    graph: &'a Graph,
    ranges: Vec<FlowRange>,
    changed: bool,
}

/// A sum of ranges, with the unbounded ones counted separately.
#[derive(Clone, Copy)]
struct Sum {
    least: u64,
    most: u64,
    unbounded: usize,
}

impl Sum {
    fn total(self) -> FlowRange {
        FlowRange {
            least: self.least,
            most: (self.unbounded == 0).then_some(self.most),
        }
    }

    /// The sum without one of its summands.
    fn without(self, part: FlowRange) -> FlowRange {
        let others_unbounded = self.unbounded - usize::from(part.most.is_none());
        FlowRange {
            least: self.least.saturating_sub(part.least),
            most: (others_unbounded == 0).then(|| self.most.saturating_sub(part.most.unwrap_or(0))),
        }
    }
}

impl Narrowing<'_> {
    fn run(&mut self, inequalities: &[RunsNoMoreOften]) {
        let blocks: Vec<BlockId> = self
            .graph
            .blocks()
            .filter(|&block| block < self.graph.entry() && !self.graph.out_edges(block).is_empty())
            .collect();
        for round in 0..MOST_ROUNDS {
            self.changed = false;
            for position in 0..blocks.len() {
                // Bounds propagate both forwards and backwards.
                let position = if round % 2 == 0 {
                    position
                } else {
                    blocks.len() - 1 - position
                };
                self.conserve(blocks[position]);
            }
            for &bound in inequalities {
                self.bound(bound);
            }
            if !self.changed {
                break;
            }
        }
    }

    fn conserve(&mut self, block: BlockId) {
        let (incoming, outgoing) = (self.graph.in_edges(block), self.graph.out_edges(block));
        let runs = intersect(self.sum(incoming).total(), self.sum(outgoing).total());
        self.limit(incoming, runs);
        self.limit(outgoing, runs);
    }

    fn bound(&mut self, bound: RunsNoMoreOften) {
        let (less, more) = (self.runs(bound.less), self.runs(bound.more));
        let less = FlowRange {
            least: less.least,
            most: min_most(less.most, more.most),
        };
        let more = FlowRange {
            least: more.least.max(less.least),
            most: more.most,
        };
        for (block, runs) in [(bound.less, less), (bound.more, more)] {
            self.limit(self.graph.in_edges(block), runs);
            if !self.graph.out_edges(block).is_empty() {
                self.limit(self.graph.out_edges(block), runs);
            }
        }
    }

    /// How often a block runs.
    fn runs(&self, block: BlockId) -> FlowRange {
        let entered = self.sum(self.graph.in_edges(block)).total();
        match self.graph.out_edges(block) {
            [] => entered,
            outgoing => intersect(entered, self.sum(outgoing).total()),
        }
    }

    fn sum(&self, edges: &[EdgeId]) -> Sum {
        edges.iter().map(|edge| self.ranges[edge.index()]).fold(
            Sum {
                least: 0,
                most: 0,
                unbounded: 0,
            },
            |sum, range| Sum {
                least: sum.least.saturating_add(range.least),
                most: sum.most.saturating_add(range.most.unwrap_or(0)),
                unbounded: sum.unbounded + usize::from(range.most.is_none()),
            },
        )
    }

    /// Narrows each of the edges, given that together they carry `total`.
    fn limit(&mut self, edges: &[EdgeId], total: FlowRange) {
        for &edge in edges {
            let range = self.ranges[edge.index()];
            if range.exact().is_some() {
                continue;
            }
            let others = self.sum(edges).without(range);
            let allowed = FlowRange {
                least: others
                    .most
                    .map_or(0, |most| total.least.saturating_sub(most)),
                most: total.most.map(|most| most.saturating_sub(others.least)),
            };
            self.narrow_edge(edge, allowed);
        }
    }

    fn narrow_edge(&mut self, edge: EdgeId, allowed: FlowRange) {
        let range = &mut self.ranges[edge.index()];
        let narrowed = intersect(*range, allowed);
        // Counts that contradict each other narrow nothing.
        let is_empty = narrowed.most.is_some_and(|most| most < narrowed.least);
        if !is_empty && narrowed != *range {
            *range = narrowed;
            self.changed = true;
        }
    }
}

fn intersect(a: FlowRange, b: FlowRange) -> FlowRange {
    FlowRange {
        least: a.least.max(b.least),
        most: min_most(a.most, b.most),
    }
}

fn min_most(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (bound, None) | (None, bound) => bound,
    }
}
