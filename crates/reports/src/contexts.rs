//! `ducktrack report --by context`: what requests, queries, jobs and tests allocate, and how much each execution of them.

mod build;
pub(crate) mod document;
mod table;
mod text;

pub use build::contexts_report;
pub use document::ContextsReport;
pub(crate) use document::{ContextAmountDoc, ExecutionContextDoc};

use crate::report::{Declared, Forms};
use crate::text::next_command::{NextCommand, shell_word};

impl Declared for ContextsReport {
    const FORMS: Forms<Self> = Forms::new("report --by context", text::write)
        .next(next)
        .csv(table::csv);
}

fn next(report: &ContextsReport) -> Vec<NextCommand> {
    let first = report.contexts.first().map(|context| {
        NextCommand::new(
            format!(
                "report {} --context {}",
                shell_word(&report.run.trace),
                shell_word(&context.name)
            ),
            "one context: all its types, places and callers",
        )
    });
    first.into_iter().collect()
}
