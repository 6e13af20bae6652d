//! Decides which allocations are counted by paths, and when paths are not used.
//!
//! Paths share counters, but exceptions can leave them in the middle, and each such debt needs a stub. So paths are used
//! where they save enough, and never where no handler may stand: in a constructor before it has called another one.

use ducktrack_classfile::Instruction;
use ducktrack_code_edit::ConstructorHead;
use ducktrack_flow_graph::MethodGraph;

use crate::context_switches::switches_contexts;
use crate::method_counting::WhyPerSite;
use crate::method_view::MethodView;
use crate::no_paths::{LEAST_SAVED_FOR_STUBS, NoPaths};
use crate::part::CountedLevel;
use crate::path_plan::{PathPlan, PathUnit};

/// A block with more allocations than this is counted per site: its stubs would be longer than its counters.
const MOST_UNITS_PER_BLOCK: usize = 24;
/// A method with more allocations than this is counted per site.
const MOST_UNITS: usize = 400;
/// As [`LEAST_SAVED_FOR_STUBS`], for a method whose frequencies were measured: it is hot, and what it saves is known.
const LEAST_SAVED_FOR_STUBS_IF_MEASURED: f64 = 0.1;
/// More stubs than this are not worth a saved increment.
const MOST_STUBS: usize = 96;

/// Nothing to share, nothing to gain.
pub(crate) fn counted_per_site_anyway(
    view: &MethodView<'_>,
    counted: &[CountedLevel],
) -> Option<WhyPerSite> {
    match counted.len() {
        0 | 1 => Some(WhyPerSite::FewerThanTwo),
        _ if switches_contexts(view) => Some(WhyPerSite::SwitchesContexts),
        _ if view.class_initializer => Some(WhyPerSite::ClassInitializer),
        many if many > MOST_UNITS => Some(WhyPerSite::MoreThan(MOST_UNITS)),
        _ => None,
    }
}

/// The same bound as [`little_to_save`](crate::no_paths::little_to_save) without a graph, for the many
/// methods whose code never goes back: each allocation runs once at the most, and one of them is the hottest.
pub(crate) fn too_few_to_save(view: &MethodView<'_>, counted: &[CountedLevel]) -> Option<NoPaths> {
    let allocations = counted.chunk_by(|a, b| a.offset == b.offset).count();
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let saved_at_most = allocations.saturating_sub(1) as f64;
    if saved_at_most >= LEAST_SAVED_FOR_STUBS {
        return None;
    }
    let goes_back = |instruction: &Instruction<'_>| {
        instruction.opcode.is_jsr()
            || instruction
                .targets()
                .any(|target| target <= instruction.offset)
    };
    let straight = !view.instructions.iter().any(goes_back);
    straight.then_some(NoPaths {
        why: WhyPerSite::LittleToSave {
            saved_at_most,
            least: LEAST_SAVED_FOR_STUBS,
        },
        may_change: true,
        increments_per_entry: None,
    })
}

/// How many instructions at the start of a constructor run before the object is initialized: handlers may not be
/// added there. It must be a straight line.
pub(crate) fn head(view: &MethodView<'_>, graph: &MethodGraph<'_>) -> Result<usize, WhyPerSite> {
    if graph.has_subroutines() {
        return Err(WhyPerSite::Subroutines);
    }
    let instructions = graph.instructions();
    let head = ConstructorHead::of(view.method, &view.code, instructions);
    let head = head.map_err(|_| WhyPerSite::ConstructorBranches)?;
    let is_prefix = instructions.iter().take(head.len());
    if !is_prefix.map(|at| at.offset).all(|at| head.contains(at)) {
        return Err(WhyPerSite::ConstructorBranches);
    }
    let head = head.len();
    let first_block = graph
        .blocks()
        .first()
        .map(|block| block.instruction_range());
    match first_block {
        Some(first_block) if head <= first_block.end => Ok(head),
        _ => Err(WhyPerSite::ConstructorBranches),
    }
}

impl PathPlan<'_, '_> {
    /// Whether this many stubs are more than the paths are worth. Without a stub there is nothing to weigh.
    pub(crate) fn speaks_against_stubs(&self, stubs: usize) -> Option<WhyPerSite> {
        let saved_per_entry = self.saved_per_entry();
        let least = match self.measured {
            true => LEAST_SAVED_FOR_STUBS_IF_MEASURED,
            false => LEAST_SAVED_FOR_STUBS,
        };
        match stubs {
            0 => None,
            _ if saved_per_entry < least => Some(WhyPerSite::StubsCostMore {
                stubs,
                saved_per_entry,
                least,
            }),
            _ if stubs > MOST_STUBS => Some(WhyPerSite::TooManyStubs {
                stubs,
                most: MOST_STUBS,
            }),
            _ => None,
        }
    }
}

/// Groups the levels of each allocation into a unit; allocations in a constructor's head and in crowded blocks stay per site.
pub(crate) fn split_units(
    graph: &MethodGraph<'_>,
    counted: &[CountedLevel],
    head: usize,
) -> (Vec<PathUnit>, Vec<(CountedLevel, WhyPerSite)>) {
    let mut units: Vec<PathUnit> = Vec::new();
    let mut per_site: Vec<(CountedLevel, WhyPerSite)> = Vec::new();
    for group in counted.chunk_by(|a, b| a.offset == b.offset) {
        let Some(first) = group.first() else { continue };
        let position = graph
            .instructions()
            .partition_point(|instruction| instruction.offset < first.offset);
        if position < head {
            let in_head = group
                .iter()
                .map(|level| (*level, WhyPerSite::ConstructorHead));
            per_site.extend(in_head);
        } else {
            units.push(PathUnit {
                position,
                levels: group.to_vec(),
            });
        }
    }
    for block in graph.blocks() {
        let range = block.instruction_range();
        let crowd = units
            .iter()
            .filter(|unit| range.contains(&unit.position))
            .count();
        if crowd > MOST_UNITS_PER_BLOCK {
            let (crowded, rest) = units
                .into_iter()
                .partition(|unit| range.contains(&unit.position));
            units = rest;
            let levels = crowded.into_iter().flat_map(|unit: PathUnit| unit.levels);
            let why = WhyPerSite::CrowdedBlock(MOST_UNITS_PER_BLOCK);
            per_site.extend(levels.map(|level| (level, why)));
        }
    }
    per_site.sort_by_key(|(level, _)| level.offset);
    (units, per_site)
}
