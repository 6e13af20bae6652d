//! Path counters in one method (DuckTracks): from blocks, edges and a placement to probes and stubs.
//!
//! The unit that is counted is the execution of one allocation instruction. The placement gives each counter an edge and each
//! block the vector *d* of what was executed but not yet counted on arrival (design: "executed minus counted so far").
//!
//! A counter on an edge need not stand on it: on the way through a block that is left (or entered) only by that edge, it may
//! stand anywhere in the block. The place is chosen so that *d* is zero at as many instructions that can throw as possible;
//! for the others a stub settles the debt ([`crate::exception_stubs`]). All counters that end up in one block are merged.

use ducktrack_classfile::ExceptionEntry;
use ducktrack_flow_graph::{BlockId, EdgeKind, Expectation, MethodGraph};
use ducktrack_path_counters::{
    self as paths, CounterPlace, Frequencies, Graph, GraphBuilder, Hint, Limits, Placement,
    SiteVector,
};

use crate::edit::Place;
use crate::exception_stubs::Debts;
use crate::method_counting::WhyPerSite;
use crate::method_plan::{Counted, MethodPlanner};
use crate::path_policy::split_units;
use crate::planned::{Role, Term, Unit};
use crate::profile::{MethodProfile, ProfilePoints};
use crate::refusal::Reason;
use crate::site_plan::COUNT;

/// A method that is expected to execute fewer increments per entry is not profiled: its entry counter would cost more than the
/// best paths could save.
const LEAST_INCREMENTS_TO_PROFILE: f64 = 1.5;
/// An allocation instruction that is counted by path: its levels and where it is.
#[derive(Clone, Debug)]
pub(crate) struct PathUnit {
    pub(crate) position: usize,
    pub(crate) levels: Vec<Counted>,
}

/// What the plan of one method works on.
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
    /// Increments that one counter per site is expected to execute.
    per_site: u64,
    /// The exception table.
    pub(crate) handlers: Vec<ExceptionEntry>,
    /// For each instruction, whether it can throw.
    pub(crate) throwing: Vec<bool>,
}

impl MethodPlanner<'_, '_, '_> {
    /// Counts by path, or by site where that is no worse.
    pub(crate) fn count_per_path(
        &mut self,
        counted: &[Counted],
        profile: Option<&MethodProfile>,
    ) -> Result<(), Reason> {
        if let Some(why) = self.counted_per_site_anyway(counted) {
            return self.count_all_per_site(counted, why);
        }
        let graph = MethodGraph::build(&self.view.code).map_err(|_| Reason::ControlFlow)?;
        let head = match self.head(&graph) {
            Ok(head) => head,
            Err(why) => return self.count_all_per_site(counted, why),
        };
        let (units, beside) = split_units(&graph, counted, head);
        let (plan, realisation, debts) = match self.plan_paths(&graph, units, head, profile) {
            Ok(planned) => planned,
            Err(why) => return self.count_all_per_site(counted, why),
        };
        self.count_beside_paths(beside)?;
        let realisation = self.insert_path_counters(&plan, realisation, profile)?;
        self.add_stubs(&plan, &realisation, debts)
    }

    /// Counters of their own for allocations that paths leave out.
    fn count_beside_paths(&mut self, beside: Vec<(Counted, WhyPerSite)>) -> Result<(), Reason> {
        if beside.is_empty() {
            return Ok(());
        }
        let (levels, reasons): (Vec<Counted>, Vec<WhyPerSite>) = beside.into_iter().unzip();
        let offsets = levels.iter().map(|level| level.offset);
        self.plan.counting.beside_paths = offsets.zip(reasons).collect();
        self.count_per_site(&levels)
    }

    /// Placement, places in the code and debts, or why one counter per site is no worse.
    fn plan_paths<'g, 'm>(
        &self,
        graph: &'g MethodGraph<'m>,
        units: Vec<PathUnit>,
        head: usize,
        profile: Option<&MethodProfile>,
    ) -> Result<(PathPlan<'g, 'm>, Realisation, Debts), WhyPerSite> {
        let handlers = self.view.code.exception_table().iter().collect();
        let pool = self.view.code.pool();
        let throwing = graph
            .instructions()
            .iter()
            .map(|instruction| instruction.can_throw_given(pool))
            .collect();
        let plan = PathPlan::choose(graph, units, head, profile, handlers, throwing)?;
        let mut realisation = plan.realise().ok_or(WhyPerSite::NoPlace)?;
        plan.choose_slots(&mut realisation)
            .ok_or(WhyPerSite::NoPlace)?;
        let debts = plan
            .debts(&realisation)
            .ok_or(WhyPerSite::ConstructorOwes)?;
        match plan.speaks_against_stubs(debts.len()) {
            Some(why) => Err(why),
            None => Ok((plan, realisation, debts)),
        }
    }
}

impl<'g, 'c> PathPlan<'g, 'c> {
    /// The placement with the fewest expected increments, unless one counter per site has no more.
    fn choose(
        graph: &'g MethodGraph<'c>,
        units: Vec<PathUnit>,
        head: usize,
        profile: Option<&MethodProfile>,
        handlers: Vec<ExceptionEntry>,
        throwing: Vec<bool>,
    ) -> Result<Self, WhyPerSite> {
        let shape = shape(graph, &units).ok_or(WhyPerSite::NoPlace)?;
        let frequencies = match profile {
            Some(profile) => measured(&shape, profile),
            None => Frequencies::estimated(&shape),
        };
        let per_site: u64 = units
            .iter()
            .filter_map(|unit| block_of(graph, unit.position))
            .map(|block| frequencies.block(&shape, path_block(block)))
            .fold(0, u64::saturating_add);
        let placement = paths::choose(&shape, &frequencies, &Limits::default()).placement;
        if placement.increments(&shape, &frequencies) >= per_site {
            return Err(WhyPerSite::NothingSaved);
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
            per_site,
            handlers,
            throwing,
        })
    }

    /// Increments that the placement is expected to save per entry against one counter per site.
    pub(crate) fn saved_per_entry(&self) -> f64 {
        let saved = self
            .per_site
            .saturating_sub(self.placement.increments(&self.shape, &self.frequencies));
        ratio(saved, self.frequencies.runs(&self.shape))
    }

    /// What a vector over units means: a term for every level of every unit.
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
                    unit: Unit::Count,
                });
            }
        }
        terms
    }
}

/// The method's graph as the path algorithms see it. Edges keep their numbers; handler entries get artificial edges behind them.
fn shape(graph: &MethodGraph<'_>, units: &[PathUnit]) -> Option<Graph> {
    let mut builder = GraphBuilder::new(graph.blocks().len());
    for edge in graph.edges() {
        let hint = match edge.expectation() {
            Expectation::None => Hint::None,
            Expectation::Likely => Hint::Likely,
            Expectation::Unlikely => Hint::Unlikely,
        };
        builder.hinted_edge(path_block(edge.from()), path_block(edge.to()), hint);
    }
    for handler in graph.handler_entries() {
        builder.exceptional_edge(path_block(handler));
    }
    for (number, unit) in (0u32..).zip(units) {
        builder.site(
            path_block(block_of(graph, unit.position)?),
            paths::SiteId::new(number),
        );
    }
    builder.build().ok()
}

/// Edge frequencies as far as counters told them.
fn measured(shape: &Graph, profile: &MethodProfile) -> Frequencies {
    let known = profile
        .edges
        .iter()
        .map(|(edge, count)| (paths::EdgeId::new(*edge), *count));
    paths::propagate(shape, profile.entries, known)
}

pub(crate) fn block_of(graph: &MethodGraph<'_>, position: usize) -> Option<BlockId> {
    graph.block_at(graph.instructions().get(position)?.offset)
}

pub(crate) fn path_block(block: BlockId) -> paths::BlockId {
    paths::BlockId::new(u32::try_from(block.index()).unwrap_or(u32::MAX))
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
    /// What is owed on arrival in each block, before its own counter.
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
                .map(|block| self.placement.potential(path_block(block)).clone())
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

impl MethodPlanner<'_, '_, '_> {
    /// Adds the probes of the counters, and the entry counter of a method that may be re-instrumented.
    fn insert_path_counters(
        &mut self,
        plan: &PathPlan<'_, '_>,
        mut realisation: Realisation,
        profile: Option<&MethodProfile>,
    ) -> Result<Realisation, Reason> {
        let mut points = CollectedPoints::default();
        for (block, counter) in realisation.in_blocks.iter_mut().enumerate() {
            let Some(counter) = counter else { continue };
            let id = self.add_counters(Role::Increment, vec![plan.terms(&counter.vector)])?;
            let probe = self.assembler.call(COUNT, id)?;
            let place = plan
                .slot_place(block, counter.slot)
                .ok_or(Reason::ControlFlow)?;
            counter.insertion = Some(self.insert(place, probe));
            self.plan.counting.probes.push((id, place));
            let block = paths::BlockId::new(u32::try_from(block).unwrap_or(u32::MAX));
            points.add(
                id,
                &counter.edges,
                plan.frequencies.block(&plan.shape, block),
            );
        }
        for counter in &realisation.on_edges {
            let id = self.add_counters(Role::Increment, vec![plan.terms(&counter.vector)])?;
            let probe = self.assembler.call(COUNT, id)?;
            self.insert(counter.place, probe);
            self.plan.counting.probes.push((id, counter.place));
            points.add(
                id,
                &[counter.edge],
                plan.frequencies.edge(paths::EdgeId::new(counter.edge)),
            );
        }
        if self.view.options.profile && (profile.is_some() || points.promise_a_gain(plan)) {
            self.add_profile_points(plan, points, profile.is_none())?;
        }
        Ok(realisation)
    }

    /// Remembers which counters tell edge frequencies. A version without measured frequencies counts its entries, too.
    fn add_profile_points(
        &mut self,
        plan: &PathPlan<'_, '_>,
        points: CollectedPoints,
        count_entries: bool,
    ) -> Result<(), Reason> {
        let entry_counter = match count_entries {
            true => {
                let id = self.add_counters(Role::Profile, vec![Vec::new()])?;
                let probe = self.assembler.call(COUNT, id)?;
                self.insert(Place::Entry, probe);
                self.plan.counting.entry_counter = Some(id);
                Some(id)
            }
            false => None,
        };
        let total: u64 = points.counters.iter().map(|(_, frequency)| frequency).sum();
        let hottest = points
            .counters
            .iter()
            .max_by_key(|(_, frequency)| *frequency);
        self.plan.profile = Some(ProfilePoints {
            method: self.view.index,
            entry_counter,
            edges: points.edges,
            increments_per_entry: ratio(total, plan.frequencies.runs(&plan.shape)),
            hottest: hottest.map(|(id, frequency)| (*id, ratio(*frequency, total))),
        });
        Ok(())
    }
}

/// Counters by the edges that they tell about, with the frequencies that are expected.
#[derive(Debug, Default)]
struct CollectedPoints {
    edges: Vec<(u32, u32)>,
    counters: Vec<(u32, u64)>,
}

impl CollectedPoints {
    /// Whether measured paths may save more increments than the entry counter costs, one per entry.
    fn promise_a_gain(&self, plan: &PathPlan<'_, '_>) -> bool {
        let total: u64 = self.counters.iter().map(|(_, frequency)| frequency).sum();
        self.counters.len() > 1
            && ratio(total, plan.frequencies.runs(&plan.shape)) > LEAST_INCREMENTS_TO_PROFILE
    }

    fn add(&mut self, counter: u32, edges: &[u32], frequency: u64) {
        self.edges.extend(edges.iter().map(|edge| (*edge, counter)));
        self.counters.push((counter, frequency));
    }
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
