//! `ducktrack heap`: the live heap at a moment, by type, site, thread, age and space.

mod build;
mod document;
mod facts;
mod loaders;
mod table;
mod text;

pub use build::heap_report;
pub(crate) use build::since_start;
pub(super) use build::{largest_first, quality};
pub use document::{HeapPartDoc, HeapReport, HeapSiteDoc, QualityDoc, SpaceDoc};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for HeapReport {
    fn name(&self) -> &'static str {
        "heap"
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
        page::page(self, None, &facts::facts(self), page::HEAP)
    }
}
