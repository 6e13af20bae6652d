//! The parts of the page that need no script.

use super::document::TimelineReport;
use crate::card::Card;
use crate::event_trace::page::Facts;
use crate::quantity::{bytes, counted, micros, share, short_bytes};

pub(super) fn facts(report: &TimelineReport) -> Facts {
    let mut facts = Facts::of(&report.head, "Timeline");
    let totals = &report.totals;
    let span = report
        .end_micros
        .unwrap_or(0)
        .saturating_sub(report.begin_micros.unwrap_or(0));
    facts
        .run
        .push(format!("{:.1} s of events", span as f64 / 1e6));
    let rate = if span > 0 {
        format!(
            "{}/s on average",
            short_bytes((totals.allocated.bytes.unsigned_abs() as f64 * 1e6 / span as f64) as u64)
        )
    } else {
        bytes(totals.allocated.bytes)
    };
    let live = report.collections.iter().rev().find_map(|point| point.live);
    facts.cards = vec![
        Card::new(
            "Allocated",
            short_bytes(totals.allocated.bytes.unsigned_abs()),
            format!("{}, {rate}", counted(totals.allocated.count, "object")),
        ),
        Card::new(
            "Pauses",
            micros(totals.pause_micros),
            format!(
                "{}, {} of the time",
                counted(totals.collections, "collection"),
                share(totals.pause_micros, span)
            ),
        ),
        Card::new(
            "Longest pause",
            micros(totals.longest_pause_micros),
            format!(
                "of all pauses the agent took {} ({})",
                micros(totals.walk_micros),
                share(totals.walk_micros, totals.pause_micros)
            ),
        ),
        Card::new(
            "Live at the last collection",
            live.map_or_else(
                || "not known".to_owned(),
                |live| short_bytes(live.bytes.unsigned_abs()),
            ),
            live.map_or_else(String::new, |live| counted(live.count, "object")),
        ),
    ];
    facts
}
