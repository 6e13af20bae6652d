//! `ducktrack advise`: the changes that save allocations, most first.

mod document;
mod in_dump;
mod page;
mod review;
mod sentence;
mod text;

use ducktrack_advise::Advice;
use ducktrack_count_model::CountModel;

pub use document::{
    AdviceDoc, AdviceDumpDoc, AdviceEachDoc, AdviceIntervalDoc, AdvicePerDoc, AdviceReport,
    AdviceTogetherDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

/// Makes the report of a run. `trace` says where it was read from; `top` is the number of rows.
pub fn advice_report(
    model: &CountModel,
    trace: &str,
    advice: &[Advice],
    top: Option<usize>,
) -> AdviceReport {
    AdviceReport::of(model, trace, advice, top)
}

impl Report for AdviceReport {
    fn name(&self) -> &'static str {
        "advise"
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

    fn html(&self) -> Result<String, ReportError> {
        page::html(self)
    }
}
