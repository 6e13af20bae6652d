//! The page of memory outside of the heap.

use super::document::OffHeapReport;
use super::table::of_lines;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, OFF_HEAP, page, title};
use crate::quantity::{counted, short_bytes};

pub(super) fn html(report: &OffHeapReport) -> Result<String, ReportError> {
    let size = |bytes: i64| short_bytes(u64::try_from(bytes).unwrap_or(0));
    let kinds = report.kinds.iter();
    let (live, made) = kinds.fold((0_i64, 0_i64), |(live, made), kind| {
        (
            live.saturating_add(kind.live.bytes),
            made.saturating_add(kind.made.bytes),
        )
    });
    let mut cards = vec![
        Card::new("Live", size(live), "made and not released".to_owned()),
        Card::new("Made", size(made), "since recording began".to_owned()),
    ];
    if let Some(first) = report.kinds.first() {
        let blocks = counted(first.live.count, "block");
        let note = format!("{} in {blocks}, most of all kinds", first.kind);
        cards.push(Card::new("Largest kind", size(first.live.bytes), note));
    }
    let run = &report.run;
    let what = "Memory outside of the heap of";
    page(
        report,
        Some(of_lines().page(&report.rows)),
        &Facts::titled(title(&run.command, &run.trace), what, cards),
        OFF_HEAP,
    )
}
