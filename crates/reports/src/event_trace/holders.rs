//! `ducktrack holders`: the holders of the objects in a heap dump, and the sites that allocated them.

mod build;
mod document;
mod facts;
mod table;
mod text;

pub use build::{HolderSelection, holders_report};
pub use document::{
    DominatorDoc, HoldersReport, HoldingContextDoc, HoldingSiteDoc, HoldingTypeDoc, JoinDoc,
    SelectedDoc, TypeCountDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for HoldersReport {
    fn name(&self) -> &'static str {
        "holders"
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
        let page = self.for_a_page();
        page::page(
            &page,
            Some(table::page(&page)),
            &facts::facts(self),
            page::HOLDERS,
        )
    }
}
