//! `ducktrack report --by context`: what requests, queries, jobs and tests allocate, and how much each execution of them.

mod build;
mod document;
mod table;
mod text;

pub use build::contexts_report;
pub use document::{
    ContextAmountDoc, ContextExecutionsDoc, ContextKindDoc, ContextsReport, ExecutionContextDoc,
    ExecutionObjectsDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::report::Report;
use crate::text::next_command::{NextCommand, shell_word};
use crate::text_lines::TextLines;

impl Report for ContextsReport {
    fn name(&self) -> &'static str {
        "report --by context"
    }

    fn write(&self, out: &mut TextLines) {
        text::write(self, out);
    }

    fn next(&self) -> Vec<NextCommand> {
        let first = self.contexts.first().map(|context| {
            NextCommand::new(
                format!(
                    "report {} --context {}",
                    shell_word(&self.run.trace),
                    shell_word(&context.name)
                ),
                "one context: all its types, places and callers",
            )
        });
        first.into_iter().collect()
    }

    fn json(&self) -> Result<String, ReportError> {
        lines(self)
    }

    fn csv(&self) -> Result<String, ReportError> {
        Ok(table::csv(self))
    }
}
