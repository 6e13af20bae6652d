//! One row per collection.

use super::document::{CollectionDoc, TimelineReport};
use crate::event_trace::csv_rows::table;
use crate::json::AmountDoc;

const HEADER: [&str; 21] = [
    "number",
    "kind",
    "cause",
    "start_micros",
    "pause_micros",
    "walk_micros",
    "allocated_count",
    "allocated_bytes",
    "gap_bytes",
    "bytes_per_second",
    "moved_count",
    "moved_bytes",
    "died_count",
    "died_bytes",
    "promoted_count",
    "promoted_bytes",
    "live_count",
    "live_bytes",
    "used_before",
    "used_after",
    "fault",
];

pub(super) fn csv(report: &TimelineReport) -> String {
    table(&HEADER, report.collections.iter().map(fields))
}

fn fields(point: &CollectionDoc) -> Vec<String> {
    let mut row = vec![
        point.number.to_string(),
        point.kind.name().to_owned(),
        point.cause.clone(),
        point.start_micros.to_string(),
        point.pause_micros.to_string(),
        point.walk_micros.to_string(),
        point.allocated.count.to_string(),
        point.allocated.bytes.to_string(),
        point.gap_bytes.to_string(),
        point
            .bytes_per_second
            .map_or_else(String::new, |rate| format!("{rate:.0}")),
    ];
    for amount in [point.moved, point.died, point.promoted, point.live] {
        row.extend(both(amount));
    }
    row.extend([
        used(&point.before),
        used(&point.after),
        point.fault.clone().unwrap_or_default(),
    ]);
    row
}

fn both(amount: Option<AmountDoc>) -> [String; 2] {
    amount.map_or_else(Default::default, |amount| {
        [amount.count.to_string(), amount.bytes.to_string()]
    })
}

fn used(spaces: &[super::document::SpaceUseDoc]) -> String {
    spaces
        .iter()
        .fold(0_u64, |sum, space| sum.saturating_add(space.used))
        .to_string()
}
