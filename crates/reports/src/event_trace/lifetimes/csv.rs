//! One row per site.

use super::document::{LifetimeContextDoc, LifetimeDoc, LifetimesReport};
use crate::event_trace::csv_rows::{PLACE, callers, list, place_fields, table};

const LIVES: [&str; 12] = [
    "count",
    "bytes",
    "eliminated",
    "died",
    "alive_count",
    "alive_bytes",
    "not_yet_collected_count",
    "unknown_fate_count",
    "died_promoted_count",
    "died_promoted_bytes",
    "bytes_until_death",
    "context",
];

pub(super) fn csv(report: &LifetimesReport) -> String {
    let header: Vec<&str> = PLACE.into_iter().chain(LIVES).collect();
    let sites = report
        .sites
        .iter()
        .map(|site| fields(place_fields(&site.place), &site.lives, &site.context));
    let without = report
        .unattributed
        .iter()
        .map(|lives| fields(vec![String::new(); PLACE.len()], lives, &[]));
    table(&header, sites.chain(without))
}

fn fields(
    mut row: Vec<String>,
    lives: &LifetimeDoc,
    context: &[LifetimeContextDoc],
) -> Vec<String> {
    let context = context.iter();
    row.extend([
        lives.count.to_string(),
        lives.bytes.to_string(),
        lives.eliminated.to_string(),
        list(&lives.died),
        lives.alive.count.to_string(),
        lives.alive.bytes.to_string(),
        lives.not_yet_collected.count.to_string(),
        lives.unknown_fate.count.to_string(),
        lives.died_promoted.count.to_string(),
        lives.died_promoted.bytes.to_string(),
        list(&lives.bytes_until_death),
        callers(context.map(|part| (&part.caller, part.lives.count, part.lives.bytes))),
    ]);
    row
}
