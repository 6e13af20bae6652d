//! Model to document. A filter keeps layers; what it leaves out is in the layers of the others, so that layers always
//! sum to the heap.

use ducktrack_analyses::{SpaceUse, Timeline, TimelinePoint, TraceModel};
use ducktrack_live_heap::Amount;

use super::document::*;
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, ratio, sum};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::since_start;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::Filter;
use crate::json::AmountDoc;

/// Other commands keep, of sites outside of the wanted packages, what was allocated for callers inside.
const CALLERS_UNKNOWN: &str = "how much of the heap was allocated by other code for callers in these packages, over time: `ducktrack heap --only` has it for one moment";

/// Makes the report. `trace` says where the model was read from.
pub fn timeline_report(
    model: &TraceModel,
    timeline: &Timeline,
    trace: &str,
    filter: &Filter,
) -> TimelineReport {
    let view = crate::build::view(&model.count, trace, filter);
    let layers = Layers { timeline };
    let top = filter.top.unwrap_or(usize::MAX);
    let (types, other_types) = types(&layers, filter, top);
    let sites = sites(model, &layers, filter, top);
    let mut head = TraceHead::of(model, &view, filter);
    if !filter.only.is_empty() {
        head.missing.push(CALLERS_UNKNOWN.to_owned());
    }
    TimelineReport {
        format: "ducktrack-timeline".to_owned(),
        version: VERSION,
        head,
        begin_micros: since_start(model, timeline.start_micros),
        end_micros: since_start(model, timeline.end_micros),
        totals: totals(timeline),
        allocated_after: amount(timeline.allocated_after),
        moments: moments(model, timeline),
        types,
        other_types,
        sites: sites.kept,
        unattributed: sites.unattributed,
        other_sites: sites.others,
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

/// The columns of the composition as layers.
struct Layers<'a> {
    timeline: &'a Timeline,
}

impl Layers<'_> {
    fn of_type(&self, column: usize) -> LayerDoc {
        self.layer(|point| point.types.get(column).copied().unwrap_or_default())
    }

    fn of_site(&self, column: usize) -> LayerDoc {
        self.layer(|point| point.sites.get(column).copied().unwrap_or_default())
    }

    fn layer(&self, value: impl Fn(&ducktrack_analyses::CompositionPoint) -> Amount) -> LayerDoc {
        let values = || self.timeline.composition.iter().map(&value);
        LayerDoc {
            counts: values().map(|amount| amount.count).collect(),
            sizes: values().map(|amount| amount.bytes).collect(),
        }
    }

    /// The whole heap less these layers.
    fn others<'l>(&self, shown: impl Iterator<Item = &'l LayerDoc>) -> LayerDoc {
        let mut rest = self.layer(|point| point.total);
        for layer in shown {
            take_away(&mut rest.counts, &layer.counts);
            take_away(&mut rest.sizes, &layer.sizes);
        }
        rest
    }
}

fn take_away(from: &mut [u64], what: &[u64]) {
    for (from, what) in from.iter_mut().zip(what) {
        *from = from.saturating_sub(*what);
    }
}

fn types(layers: &Layers<'_>, filter: &Filter, top: usize) -> (Vec<TypeLayerDoc>, LayerDoc) {
    let kept: Vec<TypeLayerDoc> = layers
        .timeline
        .types
        .iter()
        .enumerate()
        .map(|(column, ty)| TypeLayerDoc {
            ty: type_name(ty.as_deref()),
            layer: layers.of_type(column),
        })
        .filter(|row| filter.wants_type(&row.ty))
        .take(top)
        .collect();
    let others = layers.others(kept.iter().map(|row| &row.layer));
    (kept, others)
}

struct Sites {
    kept: Vec<SiteLayerDoc>,
    unattributed: Option<LayerDoc>,
    others: LayerDoc,
}

fn sites(model: &TraceModel, layers: &Layers<'_>, filter: &Filter, top: usize) -> Sites {
    let mut kept = Vec::new();
    let mut unattributed = None;
    for (column, site) in layers.timeline.sites.iter().enumerate() {
        match site.and_then(|index| PlaceDoc::of(&model.count, index)) {
            Some(place) if place.is_wanted(filter) && kept.len() < top => kept.push(SiteLayerDoc {
                place,
                layer: layers.of_site(column),
            }),
            Some(_) => {}
            None if filter.only.is_empty() && filter.types.is_empty() => {
                unattributed = Some(layers.of_site(column))
            }
            None => {}
        }
    }
    let others = layers.others(kept.iter().map(|row| &row.layer).chain(&unattributed));
    Sites {
        kept,
        unattributed,
        others,
    }
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
        kind: printable(&point.kind),
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
        kind: printable(&space.kind),
        areas: u64::from(space.number),
        used: space.used,
    }
}
