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

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for GrowthReport {
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
        page::page(&self.for_a_page(), &facts::facts(self), page::GROWTH)
    }
}
