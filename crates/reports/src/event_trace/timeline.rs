//! `ducktrack timeline`: collections, allocation rate, and what the heap was made of over time.

mod build;
mod composition;
mod document;
mod facts;
mod table;
mod text;

pub(super) use build::start_micros;
pub use build::timeline_report;
pub use document::{
    CollectionDoc, LayerDoc, MomentDoc, SiteLayerDoc, SpaceUseDoc, TimelineReport,
    TimelineTotalsDoc, TypeLayerDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for TimelineReport {
    fn name(&self) -> &'static str {
        "timeline"
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
        Ok(table::table(self).csv(&self.collections))
    }

    fn html(&self) -> Result<String, ReportError> {
        let table = table::table(self).page(&self.collections);
        page::page(self, Some(table), &facts::facts(self), page::TIMELINE)
    }
}
