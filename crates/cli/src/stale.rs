//! `ducktrack stale DIR [--at GC]`

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_heap_model::{CollectionNumber, Moment, Questions, TraceModel};
use ducktrack_reports::stale_report;

use crate::event_report::{EventReportArgs, unknown_heap};
use crate::selection::SiteSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack stale ducktrack-4711                          after the last collection
  ducktrack stale ducktrack-4711 --at 12                  after collection 12
  ducktrack stale ducktrack-4711 --only com.acme --format html -o stale.html

An object's staleness is the number of collections between its last use and the moment: 0 if it was used since the collection before.")]
pub(crate) struct StaleArgs {
    #[command(flatten)]
    report: EventReportArgs,
    /// The number of a collection (ducktrack timeline lists them); without it the last one
    #[arg(long, value_name = "GC")]
    at: Option<u32>,
    #[command(flatten)]
    selection: SiteSelection,
}

pub(crate) fn run(args: StaleArgs) -> Result<ExitCode> {
    let at = args.at.map(CollectionNumber);
    let questions = Questions {
        staleness: Some(at.map_or(Moment::End, Moment::After)),
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let Some(staleness) = &model.staleness else {
        bail!("{}: {}", args.report.name(), no_staleness(&model, at));
    };
    let report = stale_report(
        &model,
        staleness,
        &args.report.name(),
        &args.selection.into(),
    );
    args.report.print(&report)
}

/// Why there is no answer, and what to do.
pub(crate) fn no_staleness(model: &TraceModel, at: Option<CollectionNumber>) -> String {
    let (first, last) = (model.info.first_collection, model.info.last_collection);
    match (first.zip(last), at) {
        (None, _) => "no collection was recorded, and uses are read by collections; let one happen: jcmd PID GC.run".to_owned(),
        (Some((first, last)), Some(at)) if at < first || at > last => format!(
            "there is no collection {}: the trace has {} to {}",
            at.0, first.0, last.0
        ),
        _ => match unknown_heap(model) {
            Some(why) => format!("the live heap is not known{why}"),
            None => "uses of objects are not recorded (until there); record with staleness=on: ducktrack run --mode trace --options staleness=on -- java ...".to_owned(),
        },
    }
}
