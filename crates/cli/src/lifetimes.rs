//! `ducktrack lifetimes DIR`

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::Questions;
use ducktrack_reports::lifetimes_report;

use crate::event_report::EventReportArgs;
use crate::selection::SiteSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack lifetimes ducktrack-4711                      which sites' objects die young, live long, die promoted
  ducktrack lifetimes ducktrack-4711 --only com.acme --sort count
  ducktrack lifetimes ducktrack-4711 --format html -o lifetimes.html")]
pub(crate) struct LifetimesArgs {
    #[command(flatten)]
    report: EventReportArgs,
    #[command(flatten)]
    selection: SiteSelection,
}

pub(crate) fn run(args: LifetimesArgs) -> Result<ExitCode> {
    let questions = Questions {
        lifetimes: true,
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let lifetimes = model.lifetimes.clone().unwrap_or_default();
    let report = lifetimes_report(
        &model,
        &lifetimes,
        &args.report.name(),
        &args.selection.into(),
    );
    args.report.print(&report)
}
