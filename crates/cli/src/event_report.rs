//! What the commands on event traces share: their arguments, reading the trace, printing a report in every form.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_heap_model::{HeapKnowledge, Questions, TraceModel};
use ducktrack_reports::EventReport;

use crate::trace_loading::load_trace;
use crate::{output, terminal};

/// The trace, the form and where it goes.
#[derive(Args)]
pub(crate) struct EventReportArgs {
    /// The directory that the agent wrote with mode=trace
    #[arg(value_name = "DIR")]
    pub(crate) trace: PathBuf,
    /// Form of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    #[default]
    Text,
    /// Documented keys
    Json,
    /// The main table, for spreadsheets
    Csv,
    /// One page with charts
    Html,
}

impl EventReportArgs {
    /// The trace as the report names it.
    pub(crate) fn name(&self) -> String {
        self.trace.display().to_string()
    }

    /// Reads the trace; one without events is an error.
    pub(crate) fn load(&self, questions: &Questions) -> Result<TraceModel> {
        load_events(&self.trace, questions)
    }

    /// Prints the report in the form that was asked for.
    pub(crate) fn print(&self, report: &dyn EventReport) -> Result<ExitCode> {
        let width = terminal::width(self.output.is_none());
        let text = render(report, self.format, width)?;
        output::write(&text, self.output.as_deref())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a trace; one without events is an error.
pub(crate) fn load_events(trace: &Path, questions: &Questions) -> Result<TraceModel> {
    let model = load_trace(trace, questions)?;
    if model.info.files.is_empty() && model.info.damage.is_empty() {
        bail!("{}", without_events(trace, &model));
    }
    Ok(model)
}

pub(crate) fn render(
    report: &dyn EventReport,
    format: Format,
    width: Option<usize>,
) -> Result<String> {
    Ok(match format {
        Format::Text => report.text_within(width),
        Format::Json => report.json()?,
        Format::Csv => report.csv(),
        Format::Html => report.html()?,
    })
}

/// One line: why there are no events, and what to do.
fn without_events(path: &Path, model: &TraceModel) -> String {
    let path = path.display();
    match model.count.run.mode.as_str() {
        "trace" => format!(
            "{path} holds no event files (events-00000000.trace, ...): they were deleted, or the JVM was stopped before the first was written"
        ),
        mode => format!(
            "{path} has no allocation events: it was recorded with mode={}; record with: ducktrack run --mode trace -- java ...",
            if mode.is_empty() { "count" } else { mode }
        ),
    }
}

/// What follows "the live heap is not known"; `None` when it is known.
pub(crate) fn unknown_heap(model: &TraceModel) -> Option<String> {
    match &model.info.knowledge {
        HeapKnowledge::Known | HeapKnowledge::NoCollection => None,
        HeapKnowledge::Never { reason } => Some(format!(": {reason}")),
        HeapKnowledge::Lost { since, reason } => {
            Some(format!(" from collection {} on: {reason}", since.0))
        }
    }
}
