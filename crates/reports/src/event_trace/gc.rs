//! `ducktrack cost`: what each site, caller and type costs the collector.

mod build;
mod candidate_groups;
mod document;
mod facts;
mod micros;
mod table;
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
        Ok(table::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        let page = self.for_a_page();
        page::page(
            &page,
            Some(table::page(&page)),
            &facts::facts(self),
            page::GC,
        )
    }
}
