//! The page of advice.

use super::document::AdviceReport;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{ADVISE, Facts, page};
use crate::quantity::{bytes, grouped, objects};

pub(super) fn html(report: &AdviceReport) -> Result<String, ReportError> {
    let exact = report.advice.iter().filter(|row| row.is_exact).count();
    let cards = vec![
        Card::new(
            "Executed",
            bytes(report.total.bytes),
            objects(report.total.count),
        ),
        Card::new(
            "Changes",
            grouped(report.advice.len() as u64),
            format!("{exact} with an exact saving"),
        ),
    ];
    let facts = Facts::titled(report.trace.clone(), "What to change in", cards);
    page(report, None, &facts, ADVISE)
}
