//! The page.

use super::document::StaleReport;
use super::table;
use super::text::until;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, STALE, page};
use crate::event_trace::text_parts::after;
use crate::quantity::{bytes, counted, grouped, share, short_bytes};

pub(super) fn html(report: &StaleReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Staleness");
    facts
        .run
        .push(format!("after collection {}", report.collection));
    facts.run.extend(report.micros.map(after));
    facts.missing.extend(until(report));
    let used = report.staleness.first();
    facts.cards = vec![
        Card::new(
            "Live",
            short_bytes(report.selected.bytes.unsigned_abs()),
            counted(report.selected.count, "object"),
        ),
        Card::new(
            "Stale",
            short_bytes(report.stale.bytes.unsigned_abs()),
            format!(
                "{} of the live bytes: not used for {} collections or more",
                share(report.stale.bytes, report.selected.bytes),
                report.stale_from
            ),
        ),
        Card::new(
            "Used lately",
            used.map_or_else(|| "0 B".to_owned(), |level| bytes(level.bytes)),
            "since the collection before".to_owned(),
        ),
        Card::new(
            "Rows",
            grouped(report.rows.sites),
            format!("sites, and {}", counted(report.rows.types, "type")),
        ),
    ];
    page(report, Some(table::page(report)), &facts, STALE)
}
