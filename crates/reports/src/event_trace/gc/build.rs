//! Model to document. A filter keeps whole sites and whole types.

use ducktrack_analyses::{CallerCost, Cost, Estimate, GcCost, PauseKind, PauseModel, TraceModel};

use super::document::{
    GcCandidateDoc, GcContextDoc, GcCostDoc, GcReport, GcSiteDoc, GcTypeDoc, PauseKindDoc,
    UnknownPausesDoc, WithoutDoc,
};
use super::micros::micros;
use super::what_if::{Change, what_ifs};
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, ratio, signed};
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::Filter;
use crate::json::CallerDoc;
use crate::view::Caller;

/// How costs are worked out.
const METHOD: &str = "The length of a pause, without what the agent took of it, is a constant and a time for each byte that was copied (young and mixed \
    collections) or alive (full ones). Both are fitted to the pauses of this run (Theil and Sen's median slope, weighed with what is possible at all); they sum to the measured pauses. A site pays for its own bytes, and its \
    share of the constants: a young collection is brought on by the bytes allocated since the one before, a full one or a concurrent cycle by the bytes \
    promoted since the old space was last collected, each site by its share. Collections that were asked for (System.gc(), tools, room for classes) are brought on by nobody. \
    Without the site, the collections that it brings on do not happen, and others are copied less often where they die young; full collections come later, because there is more room, and have \
    less to do. `unused`: the objects are made, and are dead once they have not been used for some collections (from their birth on, where the trace has no uses): what ducktrack impact \
    removes. Intervals: 95 % for the \
    time per byte; from all other objects copied as often as before to all of them copied in proportion to the collections; one full collection more or less, because one may be saved in \
    part; the objects are dead after this number of collections or up to twice as many; and, for what is saved, the error of the model itself (standard deviation: \
    0.4 of the saving, times the share that is left), as measured on half of the leaky programs of ducktrack's own tests. Two runs of the same program differ, too (by 3 % of the time of collections): \
    ducktrack impact adds that for its number of trials.";

/// The same of a collector that works while the program runs.
const METHOD_OF_CYCLES: &str = "Times are CPU of the collector's workers, without what the program's own threads move and without the agent. Of a cycle it is a constant and a time for each \
    byte that was alive. Both are fitted to the cycles of this run (Theil and Sen's median slope, weighed with what is possible at all); they sum to what was measured. A site pays for its \
    own bytes, and its share of the constants: a cycle is brought on by the bytes allocated since the one before, one of the old generation by the bytes promoted since the last one, each \
    site by its share; who asked for a cycle is not known. Without the site, the cycles that it brings on do not happen, and others are marked less often where they die young. \
    `unused`: the objects are made, and are dead once they are this old. Intervals: 95 % for the time per byte; from all other objects marked as often as before to all of them marked in \
    proportion to the cycles; and, for what is saved, the error of the model itself (standard deviation: 0.4 of the saving, times the share that is left), as measured on programs under \
    collectors that pause.";

fn times(costs: &GcCost) -> &'static str {
    match costs.is_concurrent {
        true => "CPU",
        false => "pauses",
    }
}

/// The table of costs. `trace` is the name of the folder.
fn table(model: &TraceModel, costs: &GcCost, trace: &str, filter: &Filter) -> GcReport {
    let view = crate::build::view(&model.count, trace, filter);
    let mut sites = Vec::new();
    let mut unattributed = None;
    let mut selected = Cost::default();
    for row in &costs.sites {
        match row.site.and_then(|index| PlaceDoc::of(&model.count, index)) {
            Some(place) if place.is_wanted(filter) => {
                selected += &row.cost;
                sites.push(site(place, &row.cost, &row.callers, costs, &view.callers));
            }
            Some(place) => {
                let wanted =
                    place.wanted_callers(&row.callers, |row| row.call, &view.callers, filter);
                if wanted.is_empty() {
                    continue;
                }
                let mut part = Cost::default();
                wanted.iter().for_each(|caller| part += &caller.cost);
                selected += &part;
                sites.push(site(place, &part, wanted, costs, &view.callers));
            }
            None if filter.only.is_empty() && filter.types.is_empty() => {
                selected += &row.cost;
                unattributed = Some(cost(&row.cost, costs));
            }
            None => {}
        }
    }
    let mut types = types(costs, filter);
    let rows = RowsDoc {
        sites: sites.len() as u64,
        types: types.len() as u64,
    };
    let top = filter.top.unwrap_or(usize::MAX);
    types.truncate(top);
    sites.truncate(top);
    GcReport {
        format: "ducktrack-cost".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, filter),
        method: match costs.is_concurrent {
            true => METHOD_OF_CYCLES.to_owned(),
            false => METHOD.to_owned(),
        },
        times: times(costs).to_owned(),
        pauses: pauses(costs),
        unknown: UnknownPausesDoc {
            collections: costs.unknown,
            pause_micros: costs.unknown_nanos / 1_000,
        },
        total: cost(&costs.total, costs),
        selected: cost(&selected, costs),
        rows,
        unattributed,
        what_if: Vec::new(),
        unused_for: costs.unused_for,
        candidates: Vec::new(),
        dump_cut_at: None,
        types,
        sites,
    }
}

/// A leak candidate whose objects are a group of the costs.
#[derive(Clone, Debug, Default)]
pub struct CostCandidate {
    /// Whose references; `None`: a root's.
    pub source: Option<String>,
    /// To what.
    pub target: String,
    /// From `ducktrack leaks`.
    pub score: Option<f64>,
    /// Bytes that only these references hold.
    pub held: u64,
}

/// What is asked of costs beside the table.
#[derive(Clone, Debug, Default)]
pub struct CostRequest {
    /// Runs under other conditions.
    pub changes: Vec<Change>,
    /// In the order of the groups.
    pub candidates: Vec<CostCandidate>,
    /// Where their dump ends, if the JVM did not finish it.
    pub dump_cut_at: Option<u64>,
}

/// What each site costs the collector, and what runs under other conditions would take. `trace` is the name of the folder.
pub fn cost_report(
    model: &TraceModel,
    costs: &GcCost,
    trace: &str,
    filter: &Filter,
    request: &CostRequest,
) -> GcReport {
    let candidates = request.candidates.iter().zip(&costs.groups);
    GcReport {
        what_if: what_ifs(model, costs, &request.changes),
        dump_cut_at: request.dump_cut_at,
        candidates: candidates
            .map(|(one, group)| GcCandidateDoc {
                source: one.source.as_deref().map(printable),
                target: printable(&one.target),
                score: one.score,
                held: one.held,
                cost: cost(&group.cost, costs),
            })
            .collect(),
        ..table(model, costs, trace, filter)
    }
}

fn pauses(costs: &GcCost) -> Vec<PauseKindDoc> {
    let kinds = PauseKind::ALL.into_iter().zip(&costs.models);
    let happened = kinds.filter(|(_, model)| model.pauses > 0);
    happened
        .map(|(kind, model)| pause_kind(name_of(kind, costs), model))
        .collect()
}

fn name_of(kind: PauseKind, costs: &GcCost) -> &'static str {
    match kind {
        PauseKind::Evacuation if costs.is_concurrent => "cycles",
        PauseKind::Full if costs.is_concurrent => "old cycles",
        kind => kind.name(),
    }
}

fn pause_kind(kind: &str, model: &PauseModel) -> PauseKindDoc {
    // Nanoseconds per byte are milliseconds per megabyte.
    let micros = |per_byte: f64| ratio(per_byte * 1e3);
    let Estimate { value, low, high } = model.per_byte;
    PauseKindDoc {
        kind: kind.to_owned(),
        count: model.pauses,
        asked: model.asked,
        pause_micros: model.nanos / 1_000,
        work_bytes: model.work,
        constant_micros: ratio(model.constant_nanos() / 1e3),
        micros_per_megabyte: micros(value),
        micros_per_megabyte_interval: [micros(low), micros(high)],
    }
}

fn types(costs: &GcCost, filter: &Filter) -> Vec<GcTypeDoc> {
    if !filter.only.is_empty() {
        return Vec::new();
    }
    let rows = costs.types.iter().map(|row| GcTypeDoc {
        ty: type_name(row.ty.as_deref()),
        cost: cost(&row.cost, costs),
    });
    rows.filter(|row| filter.wants_type(&row.ty)).collect()
}

fn site<'a>(
    place: PlaceDoc,
    whole: &Cost,
    parts: impl IntoIterator<Item = &'a CallerCost>,
    costs: &GcCost,
    callers: &[Caller],
) -> GcSiteDoc {
    let part = |row: &CallerCost| GcContextDoc {
        caller: CallerDoc::of(row.call.and_then(|call| callers.get(call.get()))),
        cost: cost(&row.cost, costs),
    };
    GcSiteDoc {
        place,
        cost: cost(whole, costs),
        context: parts.into_iter().map(part).collect(),
    }
}

fn cost(row: &Cost, costs: &GcCost) -> GcCostDoc {
    let (pause_micros, pause_interval) = micros(row.pause_nanos(&costs.models));
    let (saved, saved_interval) = micros(costs.without(row));
    let (unused, unused_interval) = micros(costs.unused(row));
    let full = match costs.is_concurrent {
        true => row.kind(PauseKind::Full).brought_on,
        false => row.full.without.collections,
    };
    let young = row.kind(PauseKind::Evacuation).brought_on;
    GcCostDoc {
        count: signed(row.allocated.count),
        bytes: signed(row.allocated.bytes),
        copied: amount(row.copied),
        copied_by_age: row.copied_by_age.clone(),
        copied_in_vain: row.copied_in_vain,
        marked: row.marked,
        promoted: amount(row.promoted),
        promoted_soon_dead: amount(row.promoted_soon_dead),
        pause_micros,
        pause_interval,
        collections: ratio(row.collections()),
        without: WithoutDoc {
            collections: ratio(young + full),
            pause_micros: saved,
            pause_interval: saved_interval,
        },
        unused: WithoutDoc {
            collections: ratio(
                (row.full.unused[0].collections + row.full.unused[1].collections) / 2.0,
            ),
            pause_micros: unused,
            pause_interval: unused_interval,
        },
    }
}
