//! From the counts of some edges to the frequencies of all edges.
//!
//! Flow is conserved: what enters a block leaves it. So a few counted edges determine others:
//!
//! 1. *Exactly* ([`flow_balance`](crate::flow_balance)): an uncounted edge is determined if and only if it is a bridge of
//!    the undirected graph of uncounted edges.
//! 2. *By a range* ([`flow_range`](crate::flow_range)): conservation as inequalities, and dominance:
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
//! A run that is cut short by an exception leaves a block in the middle, which conservation does
//! not see; a frame that is still running, neither. Counts are then off by as many runs. Values that
//! would become negative are taken as zero and [`Propagated::is_consistent`] says so. Frequencies only
//! guide placement; exactness never depends on them.

use crate::depth_first::DepthFirst;
use crate::flow_balance::balance;
use crate::flow_estimate::estimate;
use crate::flow_range::narrow;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::EdgeId;

/// What is known about the frequency of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRange {
    /// It was taken at least this often.
    pub least: u64,
    /// It was taken at most this often; `None` if nothing bounds it.
    pub most: Option<u64>,
}

impl FlowRange {
    /// Exactly this often.
    pub const fn exactly(count: u64) -> Self {
        Self {
            least: count,
            most: Some(count),
        }
    }

    /// The count, if it is certain.
    pub fn exact(self) -> Option<u64> {
        self.most.filter(|&most| most == self.least)
    }

    /// Whether the count is possible.
    pub fn contains(self, count: u64) -> bool {
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }

    /// The possible count closest to the given one.
    pub(crate) fn clamp(self, count: u64) -> u64 {
        count.min(self.most.unwrap_or(u64::MAX)).max(self.least)
    }
}

/// Frequencies of all edges, as far as the counted ones tell.
#[derive(Clone, Debug)]
pub struct Propagated {
    ranges: Vec<FlowRange>,
    frequencies: Frequencies,
    consistent: bool,
}

impl Propagated {
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
        let mut consistent = balance(graph, &mut known);
        let ranges = narrow(graph, &known, &mut consistent);
        let frequencies = Frequencies::measured(graph, estimate(graph, &walk, &ranges));
        Self {
            ranges,
            frequencies,
            consistent,
        }
    }

    /// What is known about an edge.
    pub fn range(&self, edge: EdgeId) -> FlowRange {
        self.ranges[edge.index()]
    }

    /// One frequency per edge: exact where possible, otherwise an estimate within the range.
    pub fn frequencies(&self) -> &Frequencies {
        &self.frequencies
    }

    /// The same, by value.
    pub fn into_frequencies(self) -> Frequencies {
        self.frequencies
    }

    /// Whether the counts obeyed conservation. If not, runs were cut short or are still going on.
    pub fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// Whether every edge a run can take is known exactly.
    pub fn is_exact(&self) -> bool {
        self.ranges.iter().all(|range| range.exact().is_some())
    }
}

/// The frequencies of a method that was called `entries` times and of which some edges were counted.
/// Handlers whose entry was not counted are taken not to run. See [`Propagated::of`] for what is
/// certain about each edge.
pub fn propagate(
    graph: &Graph,
    entries: u64,
    counted: impl IntoIterator<Item = (EdgeId, u64)>,
) -> Frequencies {
    let uncounted = |edge| graph.edge(edge).exceptional.then_some(0);
    let mut counts: Vec<Option<u64>> = graph.edge_ids().map(uncounted).collect();
    let mut calls = graph
        .out_edges(graph.entry())
        .iter()
        .filter(|&&edge| !graph.edge(edge).exceptional);
    if let (Some(call), None) = (calls.next(), calls.next()) {
        counts[call.index()] = Some(entries);
    }
    for (edge, count) in counted {
        if let Some(slot) = counts.get_mut(edge.index()) {
            *slot = Some(count);
        }
    }
    Propagated::of(graph, &counts).into_frequencies()
}
