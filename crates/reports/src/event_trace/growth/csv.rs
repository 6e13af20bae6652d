//! One row per site, with a column for each collection that was looked at.

use std::collections::BTreeSet;

use super::document::{GrowthReport, GrowthRowDoc};
use crate::event_trace::csv_rows::{PLACE, no_place, place_fields, table};

const VERDICT: [&str; 9] = [
    "verdict",
    "confidence",
    "count",
    "bytes",
    "not_yet_collected_bytes",
    "objects_per_second",
    "bytes_per_second",
    "objects_per_collection",
    "bytes_per_collection",
];

pub(super) fn csv(report: &GrowthReport) -> String {
    let sites = report.sites.iter().map(|site| &site.row);
    let all = sites.chain(&report.unattributed);
    let collections: BTreeSet<u32> = all.flat_map(|row| row.at.iter().copied()).collect();
    let header: Vec<String> = PLACE
        .into_iter()
        .chain(VERDICT)
        .map(str::to_owned)
        .chain(collections.iter().map(|at| format!("count_after_{at}")))
        .collect();
    let sites = report
        .sites
        .iter()
        .map(|site| fields(place_fields(&site.place), &site.row, &collections));
    let without = report
        .unattributed
        .iter()
        .map(|row| fields(no_place(), row, &collections));
    table(&header, sites.chain(without))
}

fn fields(mut fields: Vec<String>, row: &GrowthRowDoc, collections: &BTreeSet<u32>) -> Vec<String> {
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
    ]);
    fields.extend(collections.iter().map(|collection| {
        let mut counts = row.at.iter().zip(&row.counts);
        let count = counts.find(|(at, _)| *at == collection);
        count.map_or_else(String::new, |(_, count)| count.to_string())
    }));
    fields
}
