//! The page.

use super::document::TimelineReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, TIMELINE, page};
use crate::quantity::{bytes, counted, micros, share, short_bytes};

pub(super) fn html(report: &TimelineReport) -> Result<String, ReportError> {
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
    page(
        report,
        Some(table::table(report).page(&report.collections)),
        &facts,
        TIMELINE,
    )
}
