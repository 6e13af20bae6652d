//! Path counters in one method (DuckTracks): from blocks, edges and a placement to probes and stubs.
//!
//! The unit that is counted is the execution of one allocation instruction. The placement gives each counter an edge and each
//! block the vector *d* of what was executed but not yet counted on arrival (design: "executed minus counted so far").
//!
//! A counter on an edge need not stand on it: on the way through a block that is left (or entered) only by that edge, it may
//! stand anywhere in the block. The place is chosen so that *d* is zero at as many instructions that can throw as possible;
//! for the others a stub settles the debt ([`crate::exception_stubs`]). All counters that end up in one block are merged.

use ducktrack_classfile::{Code, ExceptionEntry};
use ducktrack_code_edit::Place;
use ducktrack_flow_graph::{BlockId, EdgeKind, MethodGraph};
use ducktrack_path_counters::{
    self as paths, CounterPlace, Frequencies, Graph, Limits, Placement, SiteVector,
};

use crate::method_counting::WhyPerSite;
use crate::no_paths::{NoPaths, little_to_save, ratio};
use crate::part::CountedLevel;
use crate::planned::Term;
use crate::profile::MethodProfile;

/// An allocation instruction that is counted by path: its levels and where it is.
#[derive(Clone, Debug)]
pub(crate) struct PathUnit {
    pub(crate) position: usize,
    pub(crate) levels: Vec<CountedLevel>,
}

/// The input of the plan of one method.
pub(crate) struct PathPlan<'g, 'c> {
    pub(crate) graph: &'g MethodGraph<'c>,
    pub(crate) shape: Graph,
    pub(crate) units: Vec<PathUnit>,
    /// For each instruction, the unit that it executes.
    pub(crate) unit_at: Vec<Option<u32>>,
    /// Instructions before this position are a constructor's head.
    pub(crate) head: usize,
    pub(crate) placement: Placement,
    pub(crate) frequencies: Frequencies,
    /// Whether counters told the frequencies.
    pub(crate) measured: bool,
    /// Increments that one counter per site is expected to execute.
    per_site: u64,
    /// Increments that the placement is expected to execute, or the most that it may if frequencies were measured.
    pub(crate) increments: u64,
    /// The exception table.
    pub(crate) handlers: Vec<ExceptionEntry>,
    /// For each instruction, whether it can throw.
    pub(crate) throwing: Vec<bool>,
}

impl<'g, 'c> PathPlan<'g, 'c> {
    /// The placement with the fewest expected increments, unless one counter per site has no more.
    pub(crate) fn choose(
        graph: &'g MethodGraph<'c>,
        units: Vec<PathUnit>,
        head: usize,
        profile: Option<&MethodProfile>,
        code: &Code<'_>,
    ) -> Result<Self, NoPaths> {
        let shape = path_graph(graph, &units).ok_or(WhyPerSite::NoPlace)?;
        let (frequencies, cautious) = match profile {
            Some(profile) => measured(graph, &shape, profile),
            None => (Frequencies::estimated(&shape), None),
        };
        let place_by = cautious.as_ref().unwrap_or(&frequencies);
        let executed = || {
            units
                .iter()
                .filter_map(|unit| block_of(graph, unit.position))
                .map(|block| frequencies.block(&shape, block))
        };
        let per_site = executed().fold(0, u64::saturating_add);
        if profile.is_none() {
            let hottest = executed().max().unwrap_or(0);
            let runs = frequencies.runs(&shape);
            little_to_save(per_site, hottest, runs)?;
        }
        let placement = paths::choose(&shape, place_by, &Limits::default()).placement;
        let increments = placement.increments(&shape, place_by);
        if increments >= per_site {
            return Err(WhyPerSite::NothingSaved.into());
        }
        let mut unit_at = vec![None; graph.instructions().len()];
        for (number, unit) in (0u32..).zip(&units) {
            if let Some(slot) = unit_at.get_mut(unit.position) {
                *slot = Some(number);
            }
        }
        Ok(Self {
            graph,
            shape,
            units,
            unit_at,
            head,
            placement,
            frequencies,
            measured: profile.is_some(),
            per_site,
            increments,
            handlers: code.exception_table().iter().collect(),
            throwing: graph
                .instructions()
                .iter()
                .map(|instruction| instruction.can_throw_given(code.pool()))
                .collect(),
        })
    }

    /// Increments that the placement is expected to save per entry against one counter per site.
    pub(crate) fn saved_per_entry(&self) -> f64 {
        let saved = self.per_site.saturating_sub(self.increments);
        ratio(saved, self.frequencies.runs(&self.shape))
    }

    /// Increments per entry that one counter per site is expected to execute.
    pub(crate) fn per_site_per_entry(&self) -> f64 {
        ratio(self.per_site, self.frequencies.runs(&self.shape))
    }

    /// The meaning of a vector over units: a term for every level of every unit.
    pub(crate) fn terms(&self, vector: &SiteVector) -> Vec<Term> {
        let mut terms = Vec::with_capacity(vector.len());
        for (unit, amount) in vector.terms() {
            for level in self
                .units
                .get(unit.index())
                .map(|unit| unit.levels.as_slice())
                .unwrap_or_default()
            {
                let factor = amount.saturating_mul(level.objects.cast_signed());
                terms.push(Term {
                    site: level.site,
                    factor,
                    unit: level.unit,
                });
            }
        }
        terms
    }
}

fn path_graph(graph: &MethodGraph<'_>, units: &[PathUnit]) -> Option<Graph> {
    let of_unit = |(number, unit): (u32, &PathUnit)| {
        let block = block_of(graph, unit.position)?;
        Some((paths::SiteId::new(number), block))
    };
    let sites: Option<Vec<_>> = (0..).zip(units).map(of_unit).collect();
    graph.path_graph(sites?).ok()
}

/// Edge frequencies that counters measured, and the frequencies by which counters are placed.
fn measured(
    graph: &MethodGraph<'_>,
    shape: &Graph,
    profile: &MethodProfile,
) -> (Frequencies, Option<Frequencies>) {
    let mut known = profile.edges.clone();
    let mut block_before = None;
    for (offset, count) in &profile.sites {
        let block = graph.block_at(*offset);
        if block != block_before {
            let edges = block.map(|block| edges_as_frequent(graph, block));
            known.extend(edges.into_iter().flatten().map(|edge| (edge, *count)));
        }
        block_before = block;
    }
    let known = known
        .into_iter()
        .map(|(edge, count)| (paths::EdgeId::new(edge), count));
    let flow = paths::propagate(shape, profile.entries, known);
    let cautious = flow.cautious(shape);
    (flow.into_frequencies(), Some(cautious))
}

/// The edges that are taken exactly as often as a block runs: the only one into it, the only one out of it.
fn edges_as_frequent(graph: &MethodGraph<'_>, block: BlockId) -> impl Iterator<Item = u32> {
    let numbered = || (0u32..).zip(graph.edges());
    let only = |edges: Vec<u32>| <[u32; 1]>::try_from(edges).ok();
    let into = numbered().filter(|(_, edge)| edge.to() == block);
    let out = numbered().filter(|(_, edge)| edge.from() == block);
    let is_handler = graph.handler_entries().any(|handler| handler == block);
    let into = only(into.map(|(number, _)| number).collect()).filter(|_| !is_handler);
    let out = only(out.map(|(number, _)| number).collect());
    into.into_iter().chain(out).flatten()
}

pub(crate) fn block_of(graph: &MethodGraph<'_>, position: usize) -> Option<BlockId> {
    graph.block_at(graph.instructions().get(position)?.offset)
}

/// Where the merged counter of a block stands and what it adds.
#[derive(Clone, Debug)]
pub(crate) struct BlockCounter {
    /// Before the instruction at this position of the method (in the block, or its end).
    pub(crate) slot: usize,
    pub(crate) vector: SiteVector,
    /// Edges whose frequency it tells.
    pub(crate) edges: Vec<u32>,
    /// Its probe, once it is inserted.
    pub(crate) insertion: Option<usize>,
}

/// A counter that needs code on the edge itself.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCounter {
    pub(crate) place: Place,
    pub(crate) vector: SiteVector,
    pub(crate) edge: u32,
}

/// How the placement is realised.
#[derive(Debug, Default)]
pub(crate) struct Realisation {
    /// By block.
    pub(crate) in_blocks: Vec<Option<BlockCounter>>,
    /// The debt on arrival in each block, before its own counter.
    pub(crate) owed: Vec<SiteVector>,
    pub(crate) on_edges: Vec<EdgeCounter>,
}

impl PathPlan<'_, '_> {
    /// Decides for every counter whether it stands in a block or on its edge.
    pub(crate) fn realise(&self) -> Option<Realisation> {
        let blocks = self.graph.blocks().len();
        let mut result = Realisation {
            in_blocks: vec![None; blocks],
            owed: self
                .graph
                .block_ids()
                .map(|block| self.placement.potential(block).clone())
                .collect(),
            on_edges: Vec::new(),
        };
        for counter in self.placement.counters() {
            match counter.place {
                CounterPlace::BlockStart(block) => {
                    result.merge(block.index(), &counter.semantics, None)
                }
                CounterPlace::Edge(edge) if self.shape.edge(edge).exceptional => {}
                CounterPlace::Edge(edge) => {
                    self.realise_edge(&mut result, edge, &counter.semantics)?
                }
            }
        }
        result.in_blocks.iter_mut().for_each(|counter| {
            counter.take_if(|counter| counter.vector.is_zero());
        });
        Some(result)
    }

    fn realise_edge(
        &self,
        result: &mut Realisation,
        edge: paths::EdgeId,
        vector: &SiteVector,
    ) -> Option<()> {
        let shape_edge = *self.shape.edge(edge);
        let ways_out = self
            .shape
            .out_edges(shape_edge.from)
            .iter()
            .filter(|out| !self.shape.edge(**out).exceptional)
            .count();
        if shape_edge.from != self.shape.entry() && ways_out == 1 {
            result.merge(shape_edge.from.index(), vector, Some(edge.as_u32()));
        } else if shape_edge.to != self.shape.exit()
            && self.shape.in_edges(shape_edge.to).len() == 1
        {
            let block = shape_edge.to.index();
            result.merge(block, vector, Some(edge.as_u32()));
            // On arrival the counter is still to come.
            let owed = result.owed.get_mut(block)?;
            *owed = owed.plus(vector);
        } else {
            let place = self.edge_place(edge)?;
            result.on_edges.push(EdgeCounter {
                place,
                vector: vector.clone(),
                edge: edge.as_u32(),
            });
        }
        Some(())
    }

    fn edge_place(&self, edge: paths::EdgeId) -> Option<Place> {
        let edge = self.graph.edges().get(edge.index())?;
        let to = self.graph.block(edge.to()).map(|block| block.first());
        Some(match edge.kind() {
            EdgeKind::Entry => Place::Entry,
            EdgeKind::FallThrough => Place::FallThroughInto(to?),
            EdgeKind::Branch(from) | EdgeKind::Switch(from) => Place::OnBranch { from, to: to? },
            EdgeKind::Return => return None,
        })
    }
}

impl Realisation {
    fn merge(&mut self, block: usize, vector: &SiteVector, edge: Option<u32>) {
        if let Some(slot) = self.in_blocks.get_mut(block) {
            let counter = slot.get_or_insert_with(|| BlockCounter {
                slot: 0,
                vector: SiteVector::zero(),
                edges: Vec::new(),
                insertion: None,
            });
            counter.vector = counter.vector.plus(vector);
            counter.edges.extend(edge);
        }
    }
}
