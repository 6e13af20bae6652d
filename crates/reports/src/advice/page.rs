//! The page of advice.

use serde::Serialize;

use super::document::{AdviceDoc, AdviceReport};
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{ADVISE, Facts, page};
use crate::quantity::{bytes, grouped, objects};

/// What the script of the page reads.
#[derive(Serialize)]
struct PageData<'a> {
    filter: Order,
    advice: &'a [AdviceDoc],
}

/// What all pages of tables say about their order.
#[derive(Serialize)]
struct Order {
    sort: &'static str,
}

pub(super) fn html(report: &AdviceReport) -> Result<String, ReportError> {
    let exact = report.advice.iter().filter(|row| row.is_exact).count();
    let facts = Facts {
        title: report.trace.clone(),
        what: "What to change in",
        run: Vec::new(),
        missing: Vec::new(),
        damage: Vec::new(),
        cards: vec![
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
        ],
        verdict: None,
    };
    let data = PageData {
        filter: Order { sort: "bytes" },
        advice: &report.advice,
    };
    page(&data, &facts, ADVISE)
}
