//! One row per site and caller.

use super::document::{GcCostDoc, GcReport};
use crate::event_trace::csv_rows::{PLACE, caller_field, no_place, place_fields, table};
use crate::json::CallerDoc;

const COST: [&str; 17] = [
    "caller",
    "count",
    "bytes",
    "copied_count",
    "copied_bytes",
    "copied_in_vain_bytes",
    "marked_bytes",
    "promoted_count",
    "promoted_bytes",
    "promoted_soon_dead_count",
    "promoted_soon_dead_bytes",
    "pause_micros",
    "pause_micros_low",
    "pause_micros_high",
    "collections",
    "saved_micros_low",
    "saved_micros_high",
];

pub(super) fn csv(report: &GcReport) -> String {
    let header: Vec<&str> = PLACE.into_iter().chain(COST).collect();
    let sites = report.sites.iter().flat_map(|site| {
        let place = place_fields(&site.place);
        let whole = site
            .context
            .is_empty()
            .then(|| fields(place.clone(), None, &site.cost));
        let parts = site.context.iter();
        let parts = parts.map(move |part| fields(place.clone(), Some(&part.caller), &part.cost));
        whole.into_iter().chain(parts)
    });
    let without = report
        .unattributed
        .iter()
        .map(|cost| fields(no_place(), None, cost));
    table(&header, sites.chain(without))
}

fn fields(mut row: Vec<String>, caller: Option<&CallerDoc>, cost: &GcCostDoc) -> Vec<String> {
    row.extend([
        caller_field(caller),
        cost.count.to_string(),
        cost.bytes.to_string(),
        cost.copied.count.to_string(),
        cost.copied.bytes.to_string(),
        cost.copied_in_vain.to_string(),
        cost.marked.to_string(),
        cost.promoted.count.to_string(),
        cost.promoted.bytes.to_string(),
        cost.promoted_soon_dead.count.to_string(),
        cost.promoted_soon_dead.bytes.to_string(),
        cost.pause_micros.to_string(),
        cost.pause_interval[0].to_string(),
        cost.pause_interval[1].to_string(),
        cost.collections.to_string(),
        cost.without.pause_interval[0].to_string(),
        cost.without.pause_interval[1].to_string(),
    ]);
    row
}
