//! The page.

use super::document::InfoReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, INFO, page};
use crate::quantity::{bytes, counted, grouped, share, short_bytes};

pub(super) fn html(report: &InfoReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "What is in the trace");
    let sizes = &report.compression;
    let per =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} B"));
    facts.cards = vec![
        Card::new(
            "Events",
            grouped(report.events),
            format!(
                "{} on the heap, {} eliminated",
                counted(report.allocated.count, "object"),
                grouped(report.eliminated)
            ),
        ),
        Card::new(
            "Bytes per event",
            per(report.bytes_per_event),
            "before compression".to_owned(),
        ),
        Card::new(
            "Bytes per move",
            per(report.bytes_per_move),
            "before compression".to_owned(),
        ),
        Card::new(
            "Compressed to",
            share(sizes.stored_bytes, sizes.plain_bytes),
            format!(
                "{} became {}",
                short_bytes(sizes.plain_bytes),
                bytes(sizes.stored_bytes)
            ),
        ),
        Card::new(
            "Collections",
            grouped(report.collections.count),
            format!(
                "{} survivors recorded",
                grouped(report.collections.survivors)
            ),
        ),
        Card::new(
            "After a rotation",
            report
                .quality
                .percent
                .map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1} %")),
            match report.quality.rotations.len() {
                0 => "nothing was rotated".to_owned(),
                number => format!(
                    "of the live objects have a site, the lowest of {}",
                    counted(number as u64, "rotation")
                ),
            },
        ),
        Card::new("Dropped", grouped(report.dropped), "events".to_owned()),
    ];
    page(report, Some(table::page(report)), &facts, INFO)
}
