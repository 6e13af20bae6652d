//! `ducktrack cost`: what each site, caller and type costs the collector.

mod build;
mod candidate_groups;
mod csv;
mod document;
mod facts;
mod micros;
mod text;
mod what_if;

pub use build::{CostCandidate, CostRequest, cost_report};
pub use candidate_groups::{candidate_groups, candidates_of, group_of_sites, longest_used};
pub use document::{
    GcCandidateDoc, GcContextDoc, GcCostDoc, GcReport, GcSiteDoc, GcTypeDoc, PauseKindDoc,
    UnknownPausesDoc, WhatIfDoc, WithoutDoc,
};
pub use what_if::Change;

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for GcReport {
    fn name(&self) -> &'static str {
        "cost"
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
        page::page(&self.for_a_page(), None, &facts::facts(self), page::GC)
    }
}
