//! Estimates a single number for each edge of which only a range is known.
//!
//! Blocks are visited in reverse postorder. Take the known or estimated frequency of a block, minus what its
//! known outgoing edges carry. The other outgoing edges share it in proportion to the static estimate, and
//! each share is moved into the edge's range. Incoming edges that go back have not been visited yet; the
//! static estimate gives their ratio to the edges that enter the loop.

use crate::depth_first::DepthFirst;
use crate::flow_range::FlowRange;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};

/// A frequency within the range of each edge.
pub(crate) fn estimate(graph: &Graph, walk: &DepthFirst, ranges: &[FlowRange]) -> Vec<u64> {
    let exact: Option<Vec<u64>> = ranges.iter().map(|range| range.exact()).collect();
    exact.unwrap_or_else(|| {
        let mut sharing = Sharing {
            graph,
            walk,
            ranges,
            expected: Frequencies::estimated(graph),
            frequency: ranges.iter().map(|range| range.least).collect(),
        };
        for &block in &walk.order {
            sharing.share_out(block);
        }
        sharing.frequency
    })
}

struct Sharing<'a> {
    graph: &'a Graph,
    walk: &'a DepthFirst,
    ranges: &'a [FlowRange],
    /// The static estimate.
    expected: Frequencies,
    frequency: Vec<u64>,
}

impl Sharing<'_> {
    fn share_out(&mut self, block: BlockId) {
        let edges = self.graph.out_edges(block);
        let known: u64 = edges
            .iter()
            .filter_map(|edge| self.ranges[edge.index()].exact())
            .fold(0, u64::saturating_add);
        let open: Vec<EdgeId> = edges
            .iter()
            .copied()
            .filter(|edge| self.ranges[edge.index()].exact().is_none())
            .collect();
        let left = self.runs(block).saturating_sub(known);
        let weight = |edge: EdgeId| self.expected.edge(edge).max(1) as f64;
        let total: f64 = open.iter().map(|&edge| weight(edge)).sum();
        let shares: Vec<u64> = open
            .iter()
            .map(|&edge| (left as f64 * weight(edge) / total) as u64)
            .collect();
        for (edge, share) in open.into_iter().zip(shares) {
            self.frequency[edge.index()] = self.ranges[edge.index()].clamp(share);
        }
    }

    /// How often a block runs, from what enters it.
    fn runs(&self, block: BlockId) -> u64 {
        if block == self.graph.entry() {
            return self.expected_runs();
        }
        let (mut entering, mut entering_expected, mut back_expected) = (0u64, 0u64, 0u64);
        for &edge in self.graph.in_edges(block) {
            if self.walk.is_retreating(edge) && self.ranges[edge.index()].exact().is_none() {
                back_expected = back_expected.saturating_add(self.expected.edge(edge));
            } else {
                entering = entering.saturating_add(self.frequency[edge.index()]);
                entering_expected = entering_expected.saturating_add(self.expected.edge(edge));
            }
        }
        let back = entering as f64 * back_expected as f64 / entering_expected.max(1) as f64;
        entering.saturating_add(back as u64)
    }

    /// Runs of the method if not even its entry was counted: what leaves it, or one.
    fn expected_runs(&self) -> u64 {
        let leaving = self.graph.in_edges(self.graph.exit());
        leaving
            .iter()
            .fold(0u64, |sum, edge| {
                sum.saturating_add(self.frequency[edge.index()])
            })
            .max(1)
    }
}
