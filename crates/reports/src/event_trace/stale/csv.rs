//! One row per site.

use super::build::stale_of;
use super::document::{StalePartDoc, StaleReport};
use crate::event_trace::csv_rows::{PLACE, callers, place_fields, table};

pub(super) fn csv(report: &StaleReport) -> String {
    let header: Vec<&str> = PLACE
        .into_iter()
        .chain([
            "count",
            "bytes",
            "stale_count",
            "stale_bytes",
            "staleness",
            "context",
        ])
        .collect();
    let sites = report.sites.iter().map(|site| {
        let context = site.context.iter();
        let context = context.map(|one| (&one.caller, one.part.count, one.part.bytes));
        fields(place_fields(&site.place), &site.part, callers(context))
    });
    let without = report
        .unattributed
        .iter()
        .map(|part| fields(vec![String::new(); PLACE.len()], part, String::new()));
    table(&header, sites.chain(without))
}

fn fields(mut row: Vec<String>, part: &StalePartDoc, context: String) -> Vec<String> {
    let stale = stale_of(&part.staleness);
    let levels: Vec<String> = part
        .staleness
        .iter()
        .map(|one| format!("{}={}/{}", one.level, one.count, one.bytes))
        .collect();
    row.extend([
        part.count.to_string(),
        part.bytes.to_string(),
        stale.count.to_string(),
        stale.bytes.to_string(),
        levels.join("; "),
        context,
    ]);
    row
}
