//! Model to document. A filter keeps whole sites and whole types.

use ducktrack_analyses::{
    Growth, GrowthRow, GrowthSubject, LiveCaller, StretchGrowth, TraceModel, WindowGrowth,
};

use super::document::{
    GrowthReport, GrowthRowDoc, GrowthSiteDoc, GrowthTypeDoc, OldSpaceDoc, StretchVerdictDoc,
    VerdictDoc, VerdictsDoc, WindowDoc, WindowGrowthDoc,
};
use super::groups;
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, ratio, signed};
use crate::event_trace::callers;
use crate::event_trace::head::{KnownStretchDoc, RowsDoc, TraceHead};
use crate::event_trace::heap::{kept_types, since_start};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::Filter;
use crate::json::ContextDoc;
use crate::view::Caller;

/// Makes the report. `trace` says where the model was read from.
pub fn growth_report(model: &TraceModel, trace: &str, filter: &Filter) -> GrowthReport {
    let none = Growth::default();
    let growth = model.growth.as_ref().unwrap_or(&none);
    let view = crate::build::view(&model.count, trace, filter);
    let mut types = Vec::new();
    let mut sites = Vec::new();
    let mut unattributed = None;
    let groups = groups::groups(model, growth, &view.callers, filter);
    for row in &growth.rows {
        match &row.subject {
            GrowthSubject::Type(ty) => {
                let ty = type_name(ty.as_deref());
                if filter.only.is_empty() && filter.wants_type(&ty) {
                    types.push(GrowthTypeDoc {
                        ty,
                        row: verdict(model, growth, row),
                    });
                }
            }
            GrowthSubject::Site(index) => {
                match index.and_then(|index| PlaceDoc::of(&model.count, index)) {
                    Some(place) if place.is_wanted(filter) => sites.push(GrowthSiteDoc {
                        place,
                        row: verdict(model, growth, row),
                        context: context(row, &view.callers, filter),
                    }),
                    Some(_) => {}
                    None if filter.only.is_empty() && filter.types.is_empty() => {
                        unattributed = Some(verdict(model, growth, row))
                    }
                    None => {}
                }
            }
        }
    }
    let rows = RowsDoc {
        sites: sites.len() as u64,
        types: types.len() as u64,
    };
    let verdicts = verdicts(sites.iter().map(|site| &site.row).chain(&unattributed));
    let type_verdicts = self::verdicts(types.iter().map(|ty| &ty.row));
    let top = filter.top.unwrap_or(usize::MAX);
    types.truncate(top);
    sites.truncate(top);
    GrowthReport {
        format: "ducktrack-growth".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, filter),
        known: growth.known,
        collections: growth.collections,
        fewest_collections: Growth::FEWEST_COLLECTIONS,
        method: Growth::METHOD.to_owned(),
        rows,
        old_space: growth.last_look.map(|look| OldSpaceDoc {
            collection: look.collection.0,
            micros: since_start(model, look.unix_micros).unwrap_or(0),
            full: look.is_full,
        }),
        verdicts,
        type_verdicts,
        windows: windows(model, growth),
        groups,
        unattributed,
        types,
        sites,
    }
}

fn context(row: &GrowthRow, all: &[Caller], filter: &Filter) -> Vec<ContextDoc> {
    let kept = |row: &LiveCaller| callers::context(row, kept_types(&row.types, filter), all);
    row.callers.iter().filter_map(kept).collect()
}

fn verdicts<'a>(rows: impl Iterator<Item = &'a GrowthRowDoc>) -> VerdictsDoc {
    let mut verdicts = VerdictsDoc::default();
    for row in rows {
        match row.judged.verdict.as_str() {
            "growing" => {
                verdicts.growing += 1;
                verdicts.bytes_per_collection += row.judged.bytes_per_collection;
                verdicts.bytes_per_second += row.judged.bytes_per_second;
            }
            "periodic" => verdicts.periodic += 1,
            "bounded" => verdicts.bounded += 1,
            _ => verdicts.unknown += 1,
        }
    }
    verdicts.bytes_per_collection = ratio(verdicts.bytes_per_collection);
    verdicts.bytes_per_second = ratio(verdicts.bytes_per_second);
    verdicts
}

fn verdict(model: &TraceModel, growth: &Growth, row: &GrowthRow) -> GrowthRowDoc {
    let points = &row.series;
    let mut seen = row.live;
    seen -= row.unseen;
    GrowthRowDoc {
        judged: judged(&row.judged),
        stretches: stretches(growth, row),
        count: signed(row.live.count),
        bytes: signed(row.live.bytes),
        live: amount(seen),
        not_yet_collected: amount(row.unseen),
        windows: row.in_windows.iter().map(in_window).collect(),
        at: points.iter().map(|point| point.collection).collect(),
        micros: points
            .iter()
            .map(|point| since_start(model, point.unix_micros).unwrap_or(0))
            .collect(),
        counts: points.iter().map(|point| point.live.count).collect(),
        sizes: points.iter().map(|point| point.live.bytes).collect(),
    }
}

fn judged(growth: &StretchGrowth) -> VerdictDoc {
    VerdictDoc {
        verdict: growth.verdict.name().to_owned(),
        confidence: ratio(growth.confidence),
        objects_per_collection: ratio(growth.slope_count),
        bytes_per_collection: ratio(growth.slope_bytes),
        objects_per_second: ratio(growth.count_per_second),
        bytes_per_second: ratio(growth.bytes_per_second),
        may_grow: growth.may_grow,
        dropped_after: growth.dropped_after,
    }
}

/// The verdicts of several stretches.
fn stretches(growth: &Growth, row: &GrowthRow) -> Vec<StretchVerdictDoc> {
    if growth.stretches.len() < 2 {
        return Vec::new();
    }
    let verdicts = growth.stretches.iter().zip(&row.stretches);
    verdicts
        .map(|(stretch, verdict)| StretchVerdictDoc {
            stretch: KnownStretchDoc {
                since: stretch.since.0,
                until: stretch.until.0,
            },
            judged: judged(verdict),
        })
        .collect()
}

fn windows(model: &TraceModel, growth: &Growth) -> Vec<WindowDoc> {
    let windows = growth.windows.iter();
    let after = |micros| since_start(model, micros).unwrap_or(0);
    windows
        .map(|window| WindowDoc {
            name: printable(&window.name),
            from_micros: after(window.from_micros),
            until_micros: after(window.until_micros),
        })
        .collect()
}

fn in_window(growth: &WindowGrowth) -> WindowGrowthDoc {
    let per_second = |change: i64| {
        let is_known = growth.seconds > 0.0;
        is_known.then(|| ratio(change as f64 / growth.seconds))
    };
    WindowGrowthDoc {
        count: growth.count,
        bytes: growth.bytes,
        objects_per_second: per_second(growth.count),
        bytes_per_second: per_second(growth.bytes),
    }
}
