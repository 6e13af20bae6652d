//! `ducktrack timeline`: collections, allocation rate, and what the heap was made of over time.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub(super) use build::start_micros;
pub use build::timeline_report;
pub use document::{
    CollectionDoc, LayerDoc, MomentDoc, SiteLayerDoc, SpaceUseDoc, TimelineReport,
    TimelineTotalsDoc, TypeLayerDoc,
};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for TimelineReport {
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
        page::page(self, &facts::facts(self), page::TIMELINE)
    }
}
