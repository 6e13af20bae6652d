//! `ducktrack holders DIR [--dump FILE]`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_reports::{HolderSelection, holders_report};

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::run_dump::RunDump;
use crate::trace_report::TraceArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack holders ducktrack-4711
      where retained bytes accumulate, and who holds them
  ducktrack holders ducktrack-4711 --dump heap.hprof --type '*Session'
  ducktrack holders ducktrack-4711 --dump heap.hprof --site com.acme.Shop.open
  ducktrack holders ducktrack-4711 --dump a.hprof --format html -o holders.html")]
pub(crate) struct HoldersArgs {
    #[command(flatten)]
    report: TraceArgs,
    /// The heap dump, if not the newest in the folder of the recording (ducktrack snapshot PID --dump makes one)
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
    /// Only objects of this type: String, java.lang.String, byte[], *Node (may be repeated)
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Only objects made here: a package, a class, Class.method or Class.method:line (may be repeated)
    #[arg(long = "site", value_name = "SITE")]
    sites: Vec<String>,
    /// Show this many rows and paths (text: 10 and 5; other formats: all and 5)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

pub(crate) fn run(args: HoldersArgs) -> Result<ExitCode> {
    let dump = RunDump::of(args.dump.as_deref(), &args.report.trace);
    let dump = dump.required(&args.report.trace)?;
    let mut trace = DumpTrace::load(&args.report.trace, dump, args.partial, ())?;
    let holdings = trace.holdings()?;
    let selection = HolderSelection {
        types: args.types,
        sites: args.sites,
        top: args.top,
    };
    let names = (args.report.name(), dump.display().to_string());
    let report = holders_report(&trace.model, &holdings, (&names.0, &names.1), &selection);
    args.report
        .print(&report.map_err(|error| trace.fault(error))?)
}
