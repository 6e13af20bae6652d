//! The page.

use super::document::{HeapMoment, HeapReport};
use super::table::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, HEAP, page};
use crate::event_trace::text_parts::after;
use crate::quantity::{bytes, counted, grouped, share, short_bytes};

pub(super) fn html(report: &HeapReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Live heap");
    facts.run.push(match report.at {
        HeapMoment::End => "end of the trace".to_owned(),
        at => format!("after collection {at}"),
    });
    facts.run.extend(report.micros.map(after));
    facts.cards = vec![
        Card::new(
            "Live",
            short_bytes(report.selected.bytes.unsigned_abs()),
            live_note(report),
        ),
        Card::new(
            "Objects",
            grouped(report.selected.count),
            format!(
                "of {} and {}",
                counted(report.rows.types, "type"),
                counted(report.rows.sites, "site")
            ),
        ),
        Card::new(
            "Site known",
            share(report.quality.with_site, report.quality.objects),
            format!("of {} live objects", grouped(report.quality.objects)),
        ),
        Card::new(
            "Not yet collected",
            short_bytes(report.not_yet_collected.bytes.unsigned_abs()),
            not_yet(report),
        ),
    ];
    // The script adds rows up by what is chosen.
    let columns = table(report).page(&[]);
    page(report, Some(columns), &facts, HEAP)
}

fn live_note(report: &HeapReport) -> String {
    if report.head.asked.is_partial() {
        format!(
            "{} of the heap's {}",
            share(report.selected.bytes, report.total.bytes),
            bytes(report.total.bytes)
        )
    } else {
        bytes(report.selected.bytes)
    }
}

fn not_yet(report: &HeapReport) -> String {
    match report.not_yet_collected.count {
        0 => "every object has been seen by a collection".to_owned(),
        count => format!("{}: some may be dead", counted(count, "object")),
    }
}
