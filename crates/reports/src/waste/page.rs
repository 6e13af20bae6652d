//! The page of waste.

use super::document::WasteReport;
use super::table::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, WASTE, page};
use crate::quantity::{counted, grouped, share, short_bytes};

pub(super) fn html(report: &WasteReport) -> Result<String, ReportError> {
    let mut cards = vec![
        Card::new(
            "Live",
            short_bytes(report.live_bytes),
            counted(report.live_objects, "object"),
        ),
        Card::new(
            "Wasted",
            short_bytes(report.total),
            format!(
                "{} of the live heap, no byte twice",
                share(report.total, report.live_bytes)
            ),
        ),
        Card::new("Rows", grouped(report.rows), "kinds and fields".to_owned()),
    ];
    if let Some(saved) = report.compact_headers_save {
        cards.push(Card::new(
            "Compact headers",
            short_bytes(saved),
            format!(
                "{} less on JDK 25, apart from the waste",
                share(saved, report.live_bytes)
            ),
        ));
    }
    let mut facts = Facts::titled(report.dump.clone(), "What is wasted in", cards);
    facts.missing = report.without_lines.iter().cloned().collect();
    facts.damage = report
        .cut_at
        .map(|at| format!("the JVM did not finish the dump, it ends at byte {at}"))
        .into_iter()
        .collect();
    let table = table(report).page(&report.waste);
    page(report, Some(table), &facts, WASTE)
}
