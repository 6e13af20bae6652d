//! One row per site.

use super::document::{GrowthReport, GrowthRowDoc};
use crate::event_trace::csv_rows::{PLACE, list, place_fields, table};

const VERDICT: [&str; 11] = [
    "verdict",
    "confidence",
    "count",
    "bytes",
    "not_yet_collected_bytes",
    "objects_per_second",
    "bytes_per_second",
    "objects_per_collection",
    "bytes_per_collection",
    "at",
    "counts",
];

pub(super) fn csv(report: &GrowthReport) -> String {
    let header: Vec<&str> = PLACE.into_iter().chain(VERDICT).collect();
    let sites = report
        .sites
        .iter()
        .map(|site| fields(place_fields(&site.place), &site.row));
    let without = report
        .unattributed
        .iter()
        .map(|row| fields(vec![String::new(); PLACE.len()], row));
    table(&header, sites.chain(without))
}

fn fields(mut fields: Vec<String>, row: &GrowthRowDoc) -> Vec<String> {
    let at: Vec<u64> = row.at.iter().copied().map(u64::from).collect();
    fields.extend([
        row.judged.verdict.clone(),
        row.judged.confidence.to_string(),
        row.count.to_string(),
        row.bytes.to_string(),
        row.not_yet_collected.bytes.to_string(),
        row.judged.objects_per_second.to_string(),
        row.judged.bytes_per_second.to_string(),
        row.judged.objects_per_collection.to_string(),
        row.judged.bytes_per_collection.to_string(),
        list(&at),
        list(&row.counts),
    ]);
    fields
}
