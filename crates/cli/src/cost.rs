//! `ducktrack cost DIR`

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::Questions;
use ducktrack_reports::{Change, Filter, cost_report};

use crate::event_report::EventReportArgs;
use crate::leaks::heap_size;
use crate::selection::RowSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack cost ducktrack-4711                           what each site and type costs, and what a run without it saves
  ducktrack cost ducktrack-4711 --young 64m --heap 2g
  ducktrack cost ducktrack-4711 --halve com.acme.Cache.put")]
pub(crate) struct CostArgs {
    #[command(flatten)]
    report: EventReportArgs,
    /// What if the heap were of this size, as -Xmx; the young space stays (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    heap: Vec<u64>,
    /// What if this many bytes could be allocated between two young collections (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    young: Vec<u64>,
    /// What if this class or method (com.acme.Cache.put) allocated half (may be repeated)
    #[arg(long, value_name = "SITE")]
    halve: Vec<String>,
    #[command(flatten)]
    selection: RowSelection,
}

pub(crate) fn run(args: CostArgs) -> Result<ExitCode> {
    let questions = Questions {
        cost: true,
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    let costs = model.cost.clone().unwrap_or_default();
    let filter: Filter = args.selection.into();
    let heap = args.heap.into_iter().map(Change::Heap);
    let young = args.young.into_iter().map(Change::Young);
    let halve = args.halve.into_iter().map(Change::Halve);
    let changes: Vec<Change> = heap.chain(young).chain(halve).collect();
    let name = args.report.name();
    let report = cost_report(&model, &costs, &name, (&filter, &changes));
    args.report.print(&report)
}
