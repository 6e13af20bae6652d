//! `ducktrack heap`: the live heap at a moment, by type, site, thread, age and space.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::heap_report;
pub(crate) use build::since_start;
pub(super) use build::{kept_types, largest_first, quality};
pub use document::{HeapPartDoc, HeapReport, HeapSiteDoc, QualityDoc, SpaceDoc};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for HeapReport {
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
        page::page(self, &facts::facts(self), page::HEAP)
    }
}
