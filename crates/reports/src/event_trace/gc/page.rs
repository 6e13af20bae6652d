//! The page.

use super::document::GcReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, GC, page};
use crate::quantity::{counted, micros, share, short_bytes};

pub(super) fn html(report: &GcReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Garbage collection");
    facts.run.push(counted(report.collections(), "collection"));
    if report.unknown.collections > 0 {
        facts.missing.push(format!(
            "{} in {} of pauses are in no cost: their moves are not known",
            counted(report.unknown.collections, "collection"),
            micros(report.unknown.pause_micros)
        ));
    }
    let all = &report.selected;
    let size = |bytes: i64| short_bytes(bytes.unsigned_abs());
    facts.cards = vec![
        Card::new(
            match report.is_of_cycles() {
                true => "CPU",
                false => "Pauses",
            },
            micros(report.pause_micros()),
            format!(
                "{}, without the agent's part",
                counted(report.collections(), "collection")
            ),
        ),
        Card::new(
            "Copied",
            size(all.copied.bytes),
            format!(
                "{}; {} of it for objects that died young",
                counted(all.copied.count, "copy").replace("copys", "copies"),
                share(all.copied_in_vain, all.copied.bytes.unsigned_abs())
            ),
        ),
        Card::new(
            "Promoted",
            size(all.promoted.bytes),
            counted(all.promoted.count, "object"),
        ),
        Card::new(
            "Promoted and soon dead",
            size(all.promoted_soon_dead.bytes),
            format!(
                "{} of what was promoted",
                share(all.promoted_soon_dead.bytes, all.promoted.bytes)
            ),
        ),
    ];
    let shown = report.for_a_page();
    page(&shown, Some(table::page(&shown)), &facts, GC)
}
