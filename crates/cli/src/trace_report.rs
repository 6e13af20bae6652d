//! Commands that report on the events of a trace: their questions, how the trace is read, their reports.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{Question, TraceModel};
use ducktrack_count_model::{CountModel, RunMode};
use ducktrack_heap_replay::HeapKnowledge;
use ducktrack_reports::{Filter, Report};

use crate::arriving::check_arrived;
use crate::nothing;
use crate::output::{Charts, Output};
use crate::target::recording;
use crate::trace_loading::load_trace;

/// A report on the events of a trace.
pub(crate) trait TraceReport: Sized {
    /// What is asked about the events.
    type Question: Question;

    /// The question.
    fn question(&self) -> Self::Question;

    /// The part of the run that is wanted.
    fn filter(&self) -> Filter;

    /// The report. `trace`: the name of the directory in it.
    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report>;
}

/// The answer to its question.
pub(crate) type Answer<R> = <<R as TraceReport>::Question as Question>::Answer;

/// The trace, the form and where it goes.
#[derive(Args)]
pub(crate) struct TraceArgs {
    /// The directory that the agent wrote with mode=trace, or the process that writes it
    #[arg(value_name = "PID|DIR", value_parser = recording)]
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    output: Output<Charts>,
}

/// The arguments of a command that needs nothing but a trace.
#[derive(Args)]
pub(crate) struct TraceReportArgs<R: TraceReport + Args> {
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    report: R,
}

impl<R: TraceReport + Args> TraceReportArgs<R> {
    pub(crate) fn run(self) -> Result<ExitCode> {
        self.trace.report(self.report)
    }
}

impl TraceArgs {
    pub(crate) fn new(trace: PathBuf, output: Output<Charts>) -> Self {
        Self { trace, output }
    }

    /// Reads, asks, prints.
    pub(crate) fn report(&self, report: impl TraceReport) -> Result<ExitCode> {
        let (model, answer) = self.load(report.question())?;
        nothing::mention_of_run(&model.count, &report.filter());
        let name = self.name();
        let report = report.report(&model, &answer, &name)?;
        self.print(&report)
    }

    /// The trace as the report names it.
    pub(crate) fn name(&self) -> String {
        self.trace.display().to_string()
    }

    /// Reads the trace; one without events is an error.
    pub(crate) fn load<Q: Question>(&self, question: Q) -> Result<(TraceModel, Q::Answer)> {
        load_events(&self.trace, question)
    }

    /// Prints the report in the form that was asked for.
    pub(crate) fn print(&self, report: &impl Report) -> Result<ExitCode> {
        self.output.print(report)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a trace; one without events is an error.
pub(crate) fn load_events<Q: Question>(
    trace: &Path,
    question: Q,
) -> Result<(TraceModel, Q::Answer)> {
    let (model, answer) = load_trace(trace, question)?;
    check_arrived(&model.count, trace)?;
    if model.info.files.is_empty() && model.info.damage.is_empty() {
        bail!("{}", without_events(trace, &model));
    }
    Ok((model, answer))
}

/// One line: why there are no events, and what to do.
fn without_events(path: &Path, model: &TraceModel) -> String {
    let path = path.display();
    match model.count.run.mode.has_events() {
        true => format!(
            "{path} holds no event files (events-00000000.trace, ...): they were deleted, or the JVM was stopped before the first was written"
        ),
        false => format!(
            "{path} has no allocation events: it was recorded with mode={}; record with: ducktrack run --mode trace -- java ...",
            recorded_mode(&model.count)
        ),
    }
}

/// The mode of a run; of one whose trace does not say, that without events.
pub(crate) fn recorded_mode(model: &CountModel) -> RunMode {
    match model.run.mode {
        RunMode::Unknown => RunMode::Count,
        mode => mode,
    }
}

/// The text after "the live heap is not known"; `None` when it is known.
pub(crate) fn unknown_heap(model: &TraceModel) -> Option<String> {
    match &model.info.knowledge {
        HeapKnowledge::Known | HeapKnowledge::NoCollection => None,
        HeapKnowledge::Never { reason } => Some(format!(": {reason}")),
        HeapKnowledge::Lost { since, reason } => {
            Some(format!(" from collection {} on: {reason}", since.0))
        }
    }
}
