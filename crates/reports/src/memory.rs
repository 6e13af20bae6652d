//! `ducktrack memory`: what fills the memory of a process and its container, and when its limit is reached.

mod advice;
mod document;
mod makers;
mod page;
mod text;

pub use document::{
    MemoryEndDoc, MemoryEndWord, MemoryPartDoc, MemoryReport, MemoryRequest, MemoryTrendDoc,
    memory_report,
};
pub use makers::MemoryMakerDoc;

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::csv_line;
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
        let header = vec!["part".to_owned(), "bytes".to_owned(), "what".to_owned()];
        let rows = self.parts.iter().map(|row| {
            let what = row.what.clone().unwrap_or_default();
            vec![row.part.clone(), row.bytes.to_string(), what]
        });
        Ok(core::iter::once(header)
            .chain(rows)
            .map(|row| csv_line(&row))
            .collect())
    }

    fn html(&self) -> Result<String, ReportError> {
        page::html(self)
    }
}
