//! `ducktrack lifetimes`: how long the objects of each site live.

mod build;
mod document;
mod facts;
mod table;
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
        Ok(table::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(
            self,
            Some(table::page(self)),
            &facts::facts(self),
            page::LIFETIMES,
        )
    }
}
