//! Model to document.

use ducktrack_analyses::{SpaceUse, Timeline, TimelinePoint, TraceModel};
use ducktrack_live_heap::Amount;

use super::composition::Composition;
use super::document::*;
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, ratio, sum};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::since_start;
use crate::filter::Filter;
use crate::json::AmountDoc;

/// Makes the report. `trace` says where the model was read from.
pub fn timeline_report(
    model: &TraceModel,
    timeline: &Timeline,
    trace: &str,
    filter: &Filter,
) -> TimelineReport {
    let view = crate::build::view(&model.count, trace, filter);
    let composition = Composition::of(model, timeline, &view.callers, filter);
    TimelineReport {
        format: "ducktrack-timeline".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, filter),
        begin_micros: since_start(model, timeline.start_micros),
        end_micros: since_start(model, timeline.end_micros),
        totals: totals(timeline),
        allocated_after: amount(timeline.allocated_after),
        moments: moments(model, timeline),
        types: composition.types,
        other_types: composition.other_types,
        sites: composition.sites,
        unattributed: composition.unattributed,
        other_sites: composition.other_sites,
        collections: timeline
            .points
            .iter()
            .map(|point| collection(model, point))
            .collect(),
    }
}

/// When the run began, microseconds since 1970: the agent's word, unless events are older (clocks may jump).
pub(crate) fn start_micros(model: &TraceModel) -> Option<u64> {
    let run = model.count.run.start_unix_millis.saturating_mul(1000);
    let events = model.info.start_micros;
    match (run, events) {
        (0, 0) => None,
        (0, start) | (start, 0) => Some(start),
        (run, events) => Some(run.min(events)),
    }
}

fn moments(model: &TraceModel, timeline: &Timeline) -> Vec<MomentDoc> {
    timeline
        .composition
        .iter()
        .map(|point| MomentDoc {
            collection: point.collection.0,
            micros: since_start(model, point.unix_micros).unwrap_or(0),
        })
        .collect()
}

fn totals(timeline: &Timeline) -> TimelineTotalsDoc {
    let points = &timeline.points;
    let micros =
        |value: fn(&TimelinePoint) -> u64| points.iter().map(value).fold(0, u64::saturating_add);
    let known = |value: fn(&TimelinePoint) -> Option<Amount>| -> AmountDoc {
        sum(points.iter().filter_map(value).map(amount))
    };
    let allocated = points
        .iter()
        .map(|point| point.allocated)
        .chain([timeline.allocated_after]);
    TimelineTotalsDoc {
        collections: points.len() as u64,
        pause_micros: micros(TimelinePoint::pause_micros),
        longest_pause_micros: points
            .iter()
            .map(TimelinePoint::pause_micros)
            .max()
            .unwrap_or(0),
        walk_micros: micros(|point| point.walk_nanos) / 1000,
        allocated: sum(allocated.map(amount)),
        gap_bytes: micros(|point| point.gap_bytes),
        died: known(|point| point.died),
        promoted: known(|point| point.promoted),
        faults: points.iter().filter(|point| point.fault.is_some()).count() as u64,
    }
}

fn collection(model: &TraceModel, point: &TimelinePoint) -> CollectionDoc {
    CollectionDoc {
        number: point.collection,
        kind: point.kind,
        cause: printable(&point.cause),
        start_micros: since_start(model, point.start_micros).unwrap_or(0),
        pause_micros: point.pause_micros(),
        walk_micros: point.walk_nanos / 1000,
        allocated: amount(point.allocated),
        gap_bytes: point.gap_bytes,
        mutator_micros: point.mutator_micros,
        bytes_per_second: point.bytes_per_second().map(ratio),
        moved: point.moved.map(amount),
        stayed: point.stayed.map(amount),
        died: point.died.map(amount),
        died_promoted: point.died_promoted.map(amount),
        promoted: point.promoted.map(amount),
        live: point.live.map(amount),
        before: point.before.iter().map(space).collect(),
        after: point.after.iter().map(space).collect(),
        fault: point.fault.as_deref().map(printable),
    }
}

fn space(space: &SpaceUse) -> SpaceUseDoc {
    SpaceUseDoc {
        kind: space.kind.name().to_owned(),
        areas: u64::from(space.number),
        used: space.used,
    }
}
