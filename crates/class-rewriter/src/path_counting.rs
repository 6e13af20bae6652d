//! Counts the allocations of one method by path where that saves increments: chooses a plan, inserts its counters, adds its stubs.

use ducktrack_classfile::CodeOffset;
use ducktrack_code_edit::Place;
use ducktrack_flow_graph::MethodGraph;
use ducktrack_path_counters as paths;

use crate::exception_stubs::{Debts, add_stubs};
use crate::method_counting::WhyPerSite;
use crate::method_view::MethodView;
use crate::no_paths::{NoPaths, ratio};
use crate::part::{CountedLevel, Part, PartBuilder};
use crate::path_plan::{PathPlan, PathUnit, Realisation};
use crate::path_policy::{counted_per_site_anyway, head, split_units, too_few_to_save};
use crate::planned::{Role, Term};
use crate::planner::Planner;
use crate::profile::{MeasuredPlacement, MethodProfile, ProfilePoints};
use crate::refusal::Reason;
use crate::site_plan::{count_all_per_site, count_per_site, increment};

/// Counters on paths. [`Measures`](crate::measure_probes::Measures) finds what it counts.
pub(crate) struct PathCounters<'p> {
    /// Measured frequencies of methods that are re-instrumented.
    pub(crate) profiles: &'p [MethodProfile],
}

impl Planner for PathCounters<'_> {
    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        let counted = &builder.before.counted;
        if counted.is_empty() {
            return Ok(builder.part);
        }
        let is_of_method = |profile: &&MethodProfile| profile.method == builder.view.index;
        let profile = self.profiles.iter().find(is_of_method);
        count_per_path(&mut builder, counted, profile)?;
        Ok(builder.part)
    }
}

/// Counts by path, or by site where that is no worse.
fn count_per_path(
    builder: &mut PartBuilder<'_>,
    counted: &[CountedLevel],
    profile: Option<&MethodProfile>,
) -> Result<(), Reason> {
    if let Some(why) = counted_per_site_anyway(builder.view, counted) {
        return count_all_per_site(builder, counted, why).map(drop);
    }
    if profile.is_none()
        && let Some(none) = too_few_to_save(builder.view, counted)
    {
        return count_instead(builder, counted, none, false);
    }
    let graph = MethodGraph::of_instructions(&builder.view.code, builder.view.instructions)
        .map_err(|_| Reason::ControlFlow)?;
    let head = match head(builder.view, &graph) {
        Ok(head) => head,
        Err(why) => return count_all_per_site(builder, counted, why).map(drop),
    };
    let (units, beside) = split_units(&graph, counted, head);
    let measured =
        profile.map(|profile| plan_paths(builder.view, &graph, units.clone(), head, Some(profile)));
    let (planned, is_final) = match measured {
        Some(Ok(planned)) if improves(&planned.0, profile) => (Ok(planned), false),
        // The measured frequencies allow nothing better: the current version is the last one.
        other => (
            plan_paths(builder.view, &graph, units, head, None),
            other.is_some(),
        ),
    };
    let (plan, realisation, debts) = match planned {
        Ok(planned) => planned,
        Err(none) => return count_instead(builder, counted, none, is_final),
    };
    count_beside_paths(builder, beside)?;
    let realisation = insert_path_counters(builder, &plan, realisation)?;
    add_stubs(builder, &plan, &realisation, debts)?;
    builder.part.profile.take_if(|_| is_final);
    Ok(())
}

/// Counts per site. A method for which paths may be worth it later is watched, unless this version is the last one.
fn count_instead(
    builder: &mut PartBuilder<'_>,
    counted: &[CountedLevel],
    none: NoPaths,
    is_final: bool,
) -> Result<(), Reason> {
    let first = count_all_per_site(builder, counted, none.why)?;
    if none.may_change && builder.view.options.profile && !is_final {
        profile_sites(builder, counted, first, none.increments_per_entry);
    }
    Ok(())
}

/// Adds one counter for each allocation that is on no counted path.
fn count_beside_paths(
    builder: &mut PartBuilder<'_>,
    beside: Vec<(CountedLevel, WhyPerSite)>,
) -> Result<(), Reason> {
    if beside.is_empty() {
        return Ok(());
    }
    let (levels, reasons): (Vec<CountedLevel>, Vec<WhyPerSite>) = beside.into_iter().unzip();
    let offsets = levels.iter().map(|level| level.offset);
    builder.counting().beside_paths = offsets.zip(reasons).collect();
    count_per_site(builder, &levels).map(drop)
}

/// Placement, places in the code and debts, or why one counter per site is no worse.
fn plan_paths<'g, 'm>(
    view: &MethodView<'_>,
    graph: &'g MethodGraph<'m>,
    units: Vec<PathUnit>,
    head: usize,
    profile: Option<&MethodProfile>,
) -> Result<(PathPlan<'g, 'm>, Realisation, Debts), NoPaths> {
    let plan = PathPlan::choose(graph, units, head, profile, &view.code)?;
    let mut realisation = plan.realise().ok_or(WhyPerSite::NoPlace)?;
    plan.choose_slots(&mut realisation)
        .ok_or(WhyPerSite::NoPlace)?;
    let debts = plan
        .debts(&realisation)
        .ok_or(WhyPerSite::ConstructorOwes)?;
    match plan.speaks_against_stubs(debts.len()) {
        Some(why) => Err(NoPaths {
            why,
            may_change: !plan.measured,
            increments_per_entry: Some(plan.per_site_per_entry()),
        }),
        None => Ok((plan, realisation, debts)),
    }
}

/// Adds the probes of the counters.
fn insert_path_counters(
    builder: &mut PartBuilder<'_>,
    plan: &PathPlan<'_, '_>,
    mut realisation: Realisation,
) -> Result<Realisation, Reason> {
    let mut points = CollectedPoints::default();
    for (block, counter) in realisation.in_blocks.iter_mut().enumerate() {
        let Some(counter) = counter else { continue };
        let place = plan
            .slot_place(block, counter.slot)
            .ok_or(Reason::ControlFlow)?;
        let (id, insertion) = insert_counter(builder, plan.terms(&counter.vector), place)?;
        counter.insertion = Some(insertion);
        let block = paths::BlockId::new(u32::try_from(block).unwrap_or(u32::MAX));
        points.add(
            id,
            &counter.edges,
            plan.frequencies.block(&plan.shape, block),
        );
    }
    for counter in &realisation.on_edges {
        let (id, _) = insert_counter(builder, plan.terms(&counter.vector), counter.place)?;
        points.add(
            id,
            &[counter.edge],
            plan.frequencies.edge(paths::EdgeId::new(counter.edge)),
        );
    }
    if builder.view.options.profile && (plan.measured || points.counters.len() > 1) {
        builder.part.profile = points.of_paths(builder.view.index, plan);
    }
    Ok(realisation)
}

/// Adds a counter on a path; its number, and the position of its probe.
fn insert_counter(
    builder: &mut PartBuilder<'_>,
    terms: Vec<Term>,
    place: Place,
) -> Result<(u32, usize), Reason> {
    let id = builder.add_counters(Role::Increment, vec![terms])?;
    let probe = increment(builder, id)?;
    builder.counting().probes.push((id, place));
    Ok((id, builder.insert(place, probe)))
}

/// The counters of sites tell frequencies, too: each how often its site runs.
fn profile_sites(
    builder: &mut PartBuilder<'_>,
    counted: &[CountedLevel],
    first: u32,
    increments_per_entry: Option<f64>,
) {
    let sites = counted.iter().map(|level| level.offset).zip(first..);
    let sites: Vec<(CodeOffset, u32)> = sites.collect();
    builder.part.profile = Some(ProfilePoints {
        method: builder.view.index,
        counters: sites.iter().map(|(_, counter)| *counter).collect(),
        edges: Vec::new(),
        sites,
        increments_per_entry,
        measured: None,
    });
}

/// Whether a placement needs fewer increments than the version that measured executed.
fn improves(plan: &PathPlan<'_, '_>, profile: Option<&MethodProfile>) -> bool {
    let executed = profile.and_then(|profile| profile.increments);
    executed.is_none_or(|executed| plan.increments < executed)
}

/// Counters by the edges that they tell about, with the frequencies that are expected.
#[derive(Debug, Default)]
struct CollectedPoints {
    edges: Vec<(u32, u32)>,
    counters: Vec<(u32, u64)>,
}

impl CollectedPoints {
    /// The counters as the agent sees them; none where there is no counter.
    fn of_paths(self, method: u16, plan: &PathPlan<'_, '_>) -> Option<ProfilePoints> {
        let total: u64 = self.counters.iter().map(|(_, frequency)| frequency).sum();
        let (hottest, frequency) = *self
            .counters
            .iter()
            .max_by_key(|(_, frequency)| *frequency)?;
        let runs = plan.frequencies.runs(&plan.shape);
        Some(ProfilePoints {
            method,
            counters: self.counters.iter().map(|(id, _)| *id).collect(),
            edges: self.edges,
            sites: Vec::new(),
            increments_per_entry: Some(ratio(total, runs)),
            measured: plan.measured.then(|| MeasuredPlacement {
                runs,
                hottest,
                share: ratio(frequency, total),
            }),
        })
    }

    fn add(&mut self, counter: u32, edges: &[u32], frequency: u64) {
        self.edges.extend(edges.iter().map(|edge| (*edge, counter)));
        self.counters.push((counter, frequency));
    }
}
