//! `ducktrack growth DIR`

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::Questions;
use ducktrack_reports::growth_report;

use crate::event_report::EventReportArgs;
use crate::selection::SiteSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack growth ducktrack-4711                         whose live objects become more and more
  ducktrack growth ducktrack-4711 --only com.acme
  ducktrack growth ducktrack-4711 --format html -o growth.html")]
pub(crate) struct GrowthArgs {
    #[command(flatten)]
    report: EventReportArgs,
    #[command(flatten)]
    selection: SiteSelection,
}

pub(crate) fn run(args: GrowthArgs) -> Result<ExitCode> {
    let questions = Questions {
        growth: true,
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let growth = model.growth.clone().unwrap_or_default();
    let report = growth_report(&model, &growth, &args.report.name(), &args.selection.into());
    args.report.print(&report)
}
