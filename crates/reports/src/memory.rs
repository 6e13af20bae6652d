//! `ducktrack memory`: what fills the memory of a process and its container, and when its limit is reached.

mod advice;
mod document;
mod makers;
mod page;
mod table;
mod text;

pub use document::{
    MemoryEndDoc, MemoryEndWord, MemoryPartDoc, MemoryReport, MemoryRequest, MemoryTrendDoc,
    memory_report,
};
pub use makers::MemoryMakerDoc;

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for MemoryReport {
    fn name(&self) -> &'static str {
        "memory"
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
        Ok(table::table(self).csv(table::parts(self)))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::html(self)
    }
}
