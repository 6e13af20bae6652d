//! `ducktrack heap --stale`: live objects by how long they have not been used.

mod build;
mod document;
mod facts;
mod table;
mod text;

pub use build::stale_report;
pub use document::{
    LevelDoc, StaleContextDoc, StalePointDoc, StaleReport, StaleSiteDoc, StaleTypeDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for StaleReport {
    fn name(&self) -> &'static str {
        "stale"
    }

    fn write(&self, out: &mut TextLines) {
        text::write(self, out);
    }

    fn next(&self) -> Vec<NextCommand> {
        text::next(self)
    }

    fn json(&self) -> Result<String, ReportError> {
        lines(self)
    }

    fn csv(&self) -> Result<String, ReportError> {
        Ok(table::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(
            self,
            Some(table::page(self)),
            &facts::facts(self),
            page::STALE,
        )
    }
}
