//! `ducktrack growth`: whose live objects become more and more.

mod build;
mod csv;
mod document;
mod facts;
mod groups;
mod text;

pub use build::growth_report;
pub use document::{
    GroupDoc, GroupSiteDoc, GrowthReport, GrowthRowDoc, GrowthSiteDoc, GrowthTypeDoc, OldSpaceDoc,
    VerdictsDoc, WindowDoc, WindowGrowthDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for GrowthReport {
    fn name(&self) -> &'static str {
        "growth"
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
        page::page(&self.for_a_page(), &facts::facts(self), page::GROWTH)
    }
}
