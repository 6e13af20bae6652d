//! `ducktrack leaks`: what leaks, who made it, who holds it, how fast it grows.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::{LeakRequest, leaks_report};
pub use document::{CandidateDoc, LeaksReport, ScorePartsDoc};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for LeaksReport {
    fn text_within(&self, width: Option<usize>) -> String {
        text::text(self, width)
    }

    fn json(&self) -> Result<String, ReportError> {
        document_lines::lines(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(self, &facts::facts(self), page::LEAKS)
    }
}
