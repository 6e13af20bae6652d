//! The page.

use super::document::HoldersReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, HOLDERS, page};
use crate::quantity::{counted, grouped, share, short_bytes};

pub(super) fn html(report: &HoldersReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Holders");
    facts.run.push(format!("dump {}", report.dump));
    facts
        .run
        .push(format!("after collection {}", report.collection));
    let join = &report.join;
    let size = |value: i64| short_bytes(u64::try_from(value).unwrap_or(0));
    facts.cards = vec![
        Card::new(
            "Heap",
            size(report.total.bytes),
            counted(report.total.count, "object"),
        ),
        Card::new(
            "Found in the trace",
            share(join.found, join.objects),
            format!("{} are fillers", grouped(join.fillers)),
        ),
    ];
    if let Some(selected) = &report.selected {
        facts.cards.push(Card::new(
            "Chosen",
            size(selected.held.bytes),
            format!("retain {}", size(selected.exactly_retained)),
        ));
    }
    let shown = report.for_a_page();
    page(&shown, Some(table::page(&shown)), &facts, HOLDERS)
}
