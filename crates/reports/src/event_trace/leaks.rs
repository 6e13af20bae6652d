//! `ducktrack leaks`: what leaks, how sure, how fast, who made it, who holds it, when the heap is full.

mod build;
mod candidates;
mod document;
mod facts;
mod interval;
mod kept;
mod names;
mod off_heap;
mod sentence;
mod sites;
mod table;
mod text;
mod to_do;
mod words;

pub use build::{LeakRequest, leaks_report};
pub use document::{
    CandidateDoc, ClockCellDoc, CohortDoc, FollowerDoc, LeakWindowDoc, LeaksReport, SiteVerdictDoc,
    SpanDoc,
};
pub use interval::IntervalDoc;
pub use kept::{DirectMemoryDoc, KeptLoadersDoc};
pub use off_heap::{OffHeapLeakDoc, OffHeapUnknownDoc};
pub use words::{
    AlarmDoc, MeasureDoc, MemoryOwnerDoc, MemoryUnknownDoc, RunVerdictDoc, SpanEndDoc, UnknownDoc,
    VerdictDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for LeaksReport {
    fn name(&self) -> &'static str {
        "leaks"
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
        page::page(self, None, &facts::facts(self), page::LEAKS)
    }
}
