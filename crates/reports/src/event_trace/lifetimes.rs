//! `ducktrack lifetimes`: how long the objects of each site live.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::lifetimes_report;
pub use document::{LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for LifetimesReport {
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
        page::page(self, &facts::facts(self), page::LIFETIMES)
    }
}
