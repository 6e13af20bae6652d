//! One row per collection.

use super::document::{CollectionDoc, SpaceUseDoc, TimelineReport};
use crate::event_trace::block_bars::bar;
use crate::table::{Table, Unit};

#[rustfmt::skip]
pub(super) fn table(report: &TimelineReport) -> Table<'_, CollectionDoc> {
    let longest = report.totals.longest_pause_micros;
    Table::<CollectionDoc>::new()
        .column("number", "number", Unit::Count, |row| row.number)
        .column("kind", "kind", Unit::Text, |row| row.kind.name())
        .in_csv("cause", |row| row.cause.clone())
        .column("start_micros", "at", Unit::Moment, |row| row.start_micros)
        .column("pause_micros", "pause", Unit::Duration, |row| row.pause_micros)
        .column("walk_micros", "agent", Unit::Duration, |row| row.walk_micros)
        .explained("the part of the pause that the tracing agent took")
        .in_text("", Unit::Text, move |row| bar(row.pause_micros, longest, 10))
        .amount("allocated_", "allocated", |row| row.allocated)
        .explained("since the collection before")
        .in_csv("gap_bytes", |row| row.gap_bytes)
        .column("bytes_per_second", "rate", Unit::BytesPerSecond, |row| row.bytes_per_second)
        .amount("moved_", "moved", |row| row.moved)
        .amount("died_", "died", |row| row.died)
        .amount("promoted_", "promoted", |row| row.promoted)
        .amount("live_", "live after", |row| row.live)
        .in_csv("used_before", |row| used(&row.before))
        .in_csv("used_after", |row| used(&row.after))
        .in_csv("fault", |row| row.fault.clone())
        .shown("cause", Unit::Text, |row| match &row.fault {
            Some(fault) => format!("{}; moves not known: {fault}", row.cause),
            None => row.cause.clone(),
        })
}

fn used(spaces: &[SpaceUseDoc]) -> u64 {
    spaces
        .iter()
        .fold(0, |sum, space| sum.saturating_add(space.used))
}
