//! `ducktrack timeline DIR`

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::Questions;
use ducktrack_reports::timeline_report;

use crate::event_report::EventReportArgs;
use crate::selection::SiteSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack timeline ducktrack-4711                       collections, pauses, rates, what the heap was made of
  ducktrack timeline ducktrack-4711 --format html -o timeline.html
  ducktrack timeline ducktrack-4711 --format csv          one row per collection")]
pub(crate) struct TimelineArgs {
    #[command(flatten)]
    report: EventReportArgs,
    #[command(flatten)]
    selection: SiteSelection,
}

pub(crate) fn run(args: TimelineArgs) -> Result<ExitCode> {
    let questions = Questions {
        timeline: true,
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let timeline = model.timeline.clone().unwrap_or_default();
    let report = timeline_report(
        &model,
        &timeline,
        &args.report.name(),
        &args.selection.into(),
    );
    args.report.print(&report)
}
