//! `ducktrack stale`: live objects by how long they have not been used.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub(super) use build::level_name;
pub use build::stale_report;
pub use document::{
    LevelDoc, StaleContextDoc, StalePointDoc, StaleReport, StaleSiteDoc, StaleTypeDoc,
};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for StaleReport {
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
        page::page(self, &facts::facts(self), page::STALE)
    }
}
