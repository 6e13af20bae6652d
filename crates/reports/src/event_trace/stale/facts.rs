//! The parts of the page that need no script.

use super::document::StaleReport;
use super::text::until;
use crate::card::Card;
use crate::event_trace::page::Facts;
use crate::event_trace::text_parts::after;
use crate::quantity::{bytes, counted, grouped, share, short_bytes};

pub(super) fn facts(report: &StaleReport) -> Facts {
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
    facts
}
