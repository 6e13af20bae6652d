//! From the counts of some edges to the frequencies of all edges.
//!
//! Flow is conserved: the inflow of a block is its outflow. So a few counted edges determine
//! others:
//!
//! 1. *Exactly* ([`flow_balance`](crate::flow_balance)): an uncounted edge is determined if and only if it is a bridge of
//!    the undirected graph of uncounted edges.
//! 2. *By a range* ([`flow_narrowing`](crate::flow_narrowing)): conservation as inequalities, and dominance:
//!    if every cycle through v contains w, v runs no more often than w.
//! 3. *By an estimate* inside the range ([`flow_estimate`](crate::flow_estimate)): the static
//!    branch probabilities share out what is left.
//!
//! ```text
//!         +-3-> B --+               counted: A->B = 3, D->EXIT = 10
//!   ^ --> A         D --> $         exact:   ^->A = 10, A->C = 7, B->D = 3, C->D = 7
//!         +---> C --+
//! ```
//!
//! The paper (section 2, "currently rather rudimentary", and section 5) names dominance and ranges as future work.
//!
//! A run that an exception cuts short ends in the middle of a block, which conservation does not see;
//! neither does it see frames that are still running. Counts are then off by the number of such runs.
//! Values that would become negative are taken as zero.
//! Frequencies only guide placement; exactness never depends on them.

use crate::depth_first::DepthFirst;
use crate::flow_balance::balance;
use crate::flow_estimate::estimate;
use crate::flow_narrowing::narrow;
use crate::flow_range::FlowRange;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::EdgeId;

/// Frequencies of all edges, derived from the counted ones.
#[derive(Clone, Debug)]
pub struct EdgeFrequencies {
    ranges: Vec<FlowRange>,
    frequencies: Frequencies,
}

impl EdgeFrequencies {
    /// Completes the counts of some edges. `counted` has an entry per edge, `None` where there is no
    /// counter; missing entries are `None`.
    pub fn of(graph: &Graph, counted: &[Option<u64>]) -> Self {
        let walk = DepthFirst::of(graph);
        let mut known: Vec<Option<u64>> = graph
            .edge_ids()
            .map(|edge| {
                let possible = walk.is_reachable(graph.edge(edge).from);
                if possible {
                    counted.get(edge.index()).copied().flatten()
                } else {
                    Some(0)
                }
            })
            .collect();
        balance(graph, &mut known);
        let ranges = narrow(graph, &known);
        let frequencies = Frequencies::measured(graph, estimate(graph, &walk, &ranges));
        Self {
            ranges,
            frequencies,
        }
    }

    /// The range of an edge's frequency.
    pub fn range(&self, edge: EdgeId) -> FlowRange {
        self.ranges[edge.index()]
    }

    /// One frequency per edge: exact where possible, otherwise an estimate within the range.
    pub fn frequencies(&self) -> &Frequencies {
        &self.frequencies
    }

    /// Frequencies for a placement that must not put a counter where it might run more often than is known. An edge that is not
    /// known exactly gets its maximum, and an unbounded one more than all others together. These frequencies do not obey
    /// conservation.
    pub fn cautious(&self, graph: &Graph) -> Frequencies {
        let exact = self.ranges.iter().filter_map(|range| range.exact());
        let unbounded = exact.fold(1, u64::saturating_add);
        let most = |range: &FlowRange| range.most.unwrap_or(unbounded.max(range.least));
        Frequencies::measured(graph, self.ranges.iter().map(most).collect())
    }

    /// The same as [`frequencies`](Self::frequencies), by value.
    pub fn into_frequencies(self) -> Frequencies {
        self.frequencies
    }

    /// Whether the frequency of every reachable edge is known exactly.
    pub fn is_exact(&self) -> bool {
        self.ranges.iter().all(|range| range.exact().is_some())
    }
}

/// The frequencies of a method of which some edges were counted; `entries` is the number of calls, if known. Handlers
/// without a count on their entry are assumed not to run. See [`EdgeFrequencies::of`] for what is certain about each edge.
pub fn propagate(
    graph: &Graph,
    entries: Option<u64>,
    counted: impl IntoIterator<Item = (EdgeId, u64)>,
) -> EdgeFrequencies {
    let uncounted = |edge| graph.edge(edge).exceptional.then_some(0);
    let mut counts: Vec<Option<u64>> = graph.edge_ids().map(uncounted).collect();
    let mut calls = graph
        .out_edges(graph.entry())
        .iter()
        .filter(|&&edge| !graph.edge(edge).exceptional);
    if let (Some(call), None) = (calls.next(), calls.next()) {
        counts[call.index()] = entries;
    }
    for (edge, count) in counted {
        if let Some(slot) = counts.get_mut(edge.index()) {
            *slot = Some(count);
        }
    }
    EdgeFrequencies::of(graph, &counts)
}
