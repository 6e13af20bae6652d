//! `ducktrack info` on an event trace: what is in it, how large, how much is known.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::info_report;
pub use document::{
    CollectionsDoc, CompleteDoc, CompressionDoc, EventFileDoc, InfoReport, LostDoc, QualitiesDoc,
    RotationDoc,
};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for InfoReport {
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
        page::page(self, &facts::facts(self), page::INFO)
    }
}
