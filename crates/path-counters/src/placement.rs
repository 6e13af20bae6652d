//! A placement: which edges carry a counter, what each counter means, and what is owed at each
//! block.

use crate::depth_first::DepthFirst;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};
use crate::path_set::PathSet;
use crate::potentials::{Potentials, TooManyTerms};
use crate::refinement::refine;
use crate::site_vector::SiteVector;
use crate::spanning_forest;

/// How the potentials of a placement were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlacementKind {
    /// The paper's paths, one counter each at its least shared edge.
    Paths,
    /// A maximum-weight spanning forest of edges without counters.
    SpanningForest,
    /// Another placement, improved block by block by making counters empty.
    Refined,
    /// One counter at the start of each block that has sites: for methods beyond the limits.
    PerBlock,
}

/// Where a counter is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CounterPlace {
    /// Whenever the edge is taken.
    Edge(EdgeId),
    /// Whenever the block is entered, before its first site ([`PlacementKind::PerBlock`] only).
    BlockStart(BlockId),
}

/// One counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Where it is incremented.
    pub place: CounterPlace,
    /// By how much each site's count changes with every increment; not zero.
    pub semantics: SiteVector,
}

/// Counters that together count every site exactly.
#[derive(Clone, Debug)]
pub struct Placement {
    kind: PlacementKind,
    counters: Vec<Counter>,
    potentials: Vec<SiteVector>,
}

/// The caller's limit was exceeded; only per-block counters are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<TooManyTerms> for TooLarge {
    fn from(_: TooManyTerms) -> Self {
        Self
    }
}

impl Placement {
    /// The placement of the given paths. `most_terms` bounds the terms of all potentials.
    pub fn of_paths(graph: &Graph, paths: &PathSet, most_terms: usize) -> Result<Self, TooLarge> {
        let potentials = Potentials::of_paths(graph, paths, most_terms)?;
        Ok(Self::of_potentials(graph, PlacementKind::Paths, potentials))
    }

    /// The placement of a maximum-weight spanning forest.
    pub fn of_spanning_forest(
        graph: &Graph,
        frequencies: &Frequencies,
        most_terms: usize,
    ) -> Result<Self, TooLarge> {
        let potentials = spanning_forest::potentials(graph, frequencies, most_terms)?;
        Ok(Self::of_potentials(
            graph,
            PlacementKind::SpanningForest,
            potentials,
        ))
    }

    /// Improves this placement by a local search. The result never has more expected increments.
    pub fn refined(
        &self,
        graph: &Graph,
        frequencies: &Frequencies,
        most_terms: usize,
    ) -> Result<Self, TooLarge> {
        let potentials = refine(graph, frequencies, &self.potentials, most_terms)?;
        Ok(Self::of_potentials(
            graph,
            PlacementKind::Refined,
            potentials,
        ))
    }

    /// One counter per block with sites. Always possible, and linear in the size of the graph.
    pub fn per_block(graph: &Graph) -> Self {
        let walk = DepthFirst::of(graph);
        let counters = graph
            .blocks()
            .filter(|&block| walk.is_reachable(block) && !graph.sites(block).is_zero())
            .map(|block| Counter {
                place: CounterPlace::BlockStart(block),
                semantics: graph.sites(block).clone(),
            })
            .collect();
        Self {
            kind: PlacementKind::PerBlock,
            counters,
            potentials: vec![SiteVector::zero(); graph.node_count()],
        }
    }

    /// Gives each reachable edge a counter with its residual; edges with a zero residual get none.
    pub(crate) fn of_potentials(
        graph: &Graph,
        kind: PlacementKind,
        potentials: Potentials,
    ) -> Self {
        let walk = DepthFirst::of(graph);
        let counters = walk
            .reachable_edges(graph)
            .map(|edge| (edge, potentials.residual(graph, edge)))
            .filter(|(_, semantics)| !semantics.is_zero())
            .map(|(edge, semantics)| Counter {
                place: CounterPlace::Edge(edge),
                semantics,
            })
            .collect();
        Self {
            kind,
            counters,
            potentials: potentials.into_blocks(),
        }
    }

    /// How it was found.
    pub fn kind(&self) -> PlacementKind {
        self.kind
    }

    /// The counters, ordered by place.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// The counter on an edge, if it needs one.
    pub fn counter_on(&self, edge: EdgeId) -> Option<&Counter> {
        self.counter_at(CounterPlace::Edge(edge))
    }

    /// The counter at the start of a block, if there is one.
    pub fn counter_at_start(&self, block: BlockId) -> Option<&Counter> {
        self.counter_at(CounterPlace::BlockStart(block))
    }

    fn counter_at(&self, place: CounterPlace) -> Option<&Counter> {
        let found = self
            .counters
            .binary_search_by_key(&place, |counter| counter.place);
        found.ok().map(|position| &self.counters[position])
    }

    /// d(b): executed minus counted on arrival at a block, before a counter at the block's start.
    ///
    /// The debt at an instruction inside the block is this, minus the semantics of a counter at the block's start,
    /// plus one for each site of the block before the instruction. Adding that vector makes a run exact that is cut
    /// short there.
    pub fn potential(&self, block: BlockId) -> &SiteVector {
        &self.potentials[block.index()]
    }

    /// The debt inside a block before its first site: [`Placement::potential`] minus the counter at
    /// the block's start.
    pub fn owed_at_start(&self, block: BlockId) -> SiteVector {
        let counted = self
            .counter_at_start(block)
            .map(|counter| &counter.semantics);
        counted.map_or(self.potential(block).clone(), |counted| {
            self.potential(block).minus(counted)
        })
    }

    /// The number of increments under the given frequencies. Counters on exceptional edges are
    /// free: they are part of code that only runs when an exception is caught.
    pub fn increments(&self, graph: &Graph, frequencies: &Frequencies) -> u64 {
        self.counters.iter().fold(0u64, |sum, counter| {
            sum.saturating_add(match counter.place {
                CounterPlace::Edge(edge) if graph.edge(edge).exceptional => 0,
                CounterPlace::Edge(edge) => frequencies.edge(edge),
                CounterPlace::BlockStart(block) => frequencies.block(graph, block),
            })
        })
    }
}
