//! `ducktrack lifetimes`: how long the objects of each site live.

mod build;
mod csv;
mod document;
mod facts;
mod text;

pub use build::lifetimes_report;
pub use document::{LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for LifetimesReport {
    fn name(&self) -> &'static str {
        "lifetimes"
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
        Ok(csv::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(self, None, &facts::facts(self), page::LIFETIMES)
    }
}
