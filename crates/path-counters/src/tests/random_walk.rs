//! Runs through a graph that count what they execute, site by site: the reference for every
//! placement.

use crate::{BlockId, CounterPlace, Graph, Placement, SiteVector};

/// One run: the edges it took, and where it ended.
pub(super) struct Walk {
    edges: Vec<crate::EdgeId>,
    end: BlockId,
    /// Whether the last block's own sites were executed before the run was cut short.
    last_block_done: bool,
}

impl Walk {
    /// Walks from ENTRY by the given choices until EXIT, a dead end, or the end of the choices.
    pub(super) fn by_choices(graph: &Graph, choices: &[u32]) -> Self {
        let mut at = graph.entry();
        let mut edges = Vec::new();
        for choice in choices {
            let successors = graph.out_edges(at);
            if successors.is_empty() {
                break;
            }
            let edge = successors[*choice as usize % successors.len()];
            edges.push(edge);
            at = graph.edge(edge).to;
        }
        let last_block_done = choices.first().is_some_and(|choice| choice % 2 == 0);
        Self {
            edges,
            end: at,
            last_block_done,
        }
    }

    pub(super) fn is_complete(&self, graph: &Graph) -> bool {
        self.end == graph.exit()
    }

    pub(super) fn edges(&self) -> &[crate::EdgeId] {
        &self.edges
    }

    /// How many counters the run increments, not counting those in code for exceptions.
    pub(super) fn increments(&self, graph: &Graph, placement: &Placement) -> usize {
        let has = |place| {
            usize::from(
                placement
                    .counters()
                    .iter()
                    .any(|counter| counter.place == place),
            )
        };
        let on_edge = |edge: crate::EdgeId| {
            if graph.edge(edge).exceptional {
                0
            } else {
                has(CounterPlace::Edge(edge))
            }
        };
        self.edges
            .iter()
            .map(|&edge| on_edge(edge) + has(CounterPlace::BlockStart(graph.edge(edge).to)))
            .sum()
    }

    /// The allocations of the run, from nothing but the sites of its blocks.
    pub(super) fn executed(&self, graph: &Graph) -> SiteVector {
        let blocks = self.edges.iter().map(|&edge| graph.edge(edge).to);
        let done = self.edges.len()
            - usize::from(!self.last_block_done && self.end != graph.exit()).min(self.edges.len());
        blocks.take(done).fold(SiteVector::zero(), |sum, block| {
            sum.plus(graph.sites(block))
        })
    }

    /// The counts by the placement's counters, plus the debt where the run was cut short.
    pub(super) fn counted(&self, graph: &Graph, placement: &Placement) -> SiteVector {
        let mut sum = SiteVector::zero();
        for &edge in &self.edges {
            for place in [
                CounterPlace::Edge(edge),
                CounterPlace::BlockStart(graph.edge(edge).to),
            ] {
                for counter in placement
                    .counters()
                    .iter()
                    .filter(|counter| counter.place == place)
                {
                    sum = sum.plus(&counter.semantics);
                }
            }
        }
        if self.is_complete(graph) || self.edges.is_empty() {
            return sum;
        }
        let owed = placement.owed_at_start(self.end);
        let inside = if self.last_block_done {
            graph.sites(self.end).clone()
        } else {
            SiteVector::zero()
        };
        sum.plus(&owed).plus(&inside)
    }
}
