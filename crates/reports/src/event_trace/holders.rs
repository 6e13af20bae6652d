//! `ducktrack holders`: who holds the objects of a heap dump, and who made them.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::{HolderSelection, holders_report};
pub use document::{
    DominatorDoc, HoldersReport, HoldingContextDoc, HoldingSiteDoc, HoldingTypeDoc, JoinDoc,
    SelectedDoc, TypeCountDoc,
};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for HoldersReport {
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
        page::page(&self.for_a_page(), &facts::facts(self), page::HOLDERS)
    }
}
