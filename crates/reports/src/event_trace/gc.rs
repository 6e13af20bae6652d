//! `ducktrack gc`: what each site, caller and type costs the collector.

mod build;
mod csv;
mod document;
mod facts;
mod micros;
mod text;
mod what_if;

pub use build::{cost_report, gc_report};
pub use document::{
    GcContextDoc, GcCostDoc, GcReport, GcSiteDoc, GcTypeDoc, PauseKindDoc, UnknownPausesDoc,
    WhatIfDoc, WithoutDoc,
};
pub use what_if::Change;

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for GcReport {
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
        page::page(&self.for_a_page(), &facts::facts(self), page::GC)
    }
}
