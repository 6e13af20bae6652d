//! `ducktrack gc DIR`

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::Questions;
use ducktrack_reports::{Filter, gc_report};

use crate::event_report::EventReportArgs;
use crate::selection::RowSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack gc ducktrack-4711                             which sites the collector works for
  ducktrack gc ducktrack-4711 --only com.acme
  ducktrack gc ducktrack-4711 --format html -o gc.html")]
pub(crate) struct GcArgs {
    #[command(flatten)]
    report: EventReportArgs,
    #[command(flatten)]
    selection: RowSelection,
}

pub(crate) fn run(args: GcArgs) -> Result<ExitCode> {
    let questions = Questions {
        cost: true,
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let costs = model.cost.clone().unwrap_or_default();
    let filter: Filter = args.selection.into();
    let report = gc_report(&model, &costs, &args.report.name(), &filter);
    args.report.print(&report)
}
