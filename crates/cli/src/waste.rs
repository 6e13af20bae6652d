//! `ducktrack waste DIR|DUMP`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use ducktrack_holders::{DumpError, DumpFile, HeapGraph, JoinedDump};
use ducktrack_reports::{WasteReport, WasteRequest, waste_report};

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::output::{Charts, Output};
use crate::run_dump::RunDump;
use crate::target::recording;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack waste heap.hprof
      what the live bytes of any HotSpot heap dump are wasted on
  ducktrack waste ducktrack-4711
      with the lines that made it: the newest dump in the recording's folder
  ducktrack waste ducktrack-4711 --dump heap.hprof --format json")]
pub(crate) struct WasteArgs {
    /// A heap dump; or the directory that the agent wrote with mode=trace, or the process that writes it
    #[arg(value_name = "PID|DIR|DUMP", value_parser = recording)]
    target: PathBuf,
    /// The heap dump, if not the newest in the folder of the recording
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
    /// Show this many rows (text: at most 20; other formats: all)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    #[command(flatten)]
    output: Output<Charts>,
}

pub(crate) fn run(args: WasteArgs) -> Result<ExitCode> {
    match args.target.is_file() && args.dump.is_none() {
        true => of_dump(&args),
        false => of_recording(&args),
    }
}

fn of_dump(args: &WasteArgs) -> Result<ExitCode> {
    let dump = &args.target;
    let graph = DumpFile::new(dump).and_then(|file| HeapGraph::read(file, args.partial.extent()));
    let graph = graph.map_err(|error| {
        let hint = match error {
            DumpError::Cut { .. } => " (--partial reads what is there)",
            _ => "",
        };
        anyhow!("{}: {error}{hint}", dump.display())
    })?;
    let why = "a dump alone: with a trace of the same JVM the lines are known".to_owned();
    let joined = JoinedDump::without_sites(graph, why);
    let report = waste_report(&joined, None, &request(args, dump, None));
    let report = report.map_err(|error| anyhow!("{}: {error}", dump.display()))?;
    args.output.print(&report)?;
    Ok(ExitCode::SUCCESS)
}

fn of_recording(args: &WasteArgs) -> Result<ExitCode> {
    let dump = RunDump::of(args.dump.as_deref(), &args.target);
    let dump = dump.required(&args.target)?;
    let request = request(args, dump, Some(&args.target));
    let report = with_lines((&args.target, dump), args.partial, &request)?;
    args.output.print(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// The whole report on a recording and a dump of it.
pub(crate) fn whole_report(trace: &Path, dump: &Path) -> Result<WasteReport> {
    let request = WasteRequest {
        dump: dump.display().to_string(),
        trace: Some(trace.display().to_string()),
        top: None,
    };
    with_lines((trace, dump), PartialDump::default(), &request)
}

fn with_lines(
    (trace, dump): (&Path, &Path),
    partial: PartialDump,
    request: &WasteRequest,
) -> Result<WasteReport> {
    let mut trace = DumpTrace::load(trace, dump, partial, ())?;
    let joined = trace.joined()?;
    let report = waste_report(&joined, Some(&trace.model), request);
    report.map_err(|error| trace.fault(error))
}

fn request(args: &WasteArgs, dump: &Path, trace: Option<&Path>) -> WasteRequest {
    WasteRequest {
        dump: dump.display().to_string(),
        trace: trace.map(|trace| trace.display().to_string()),
        top: args.top,
    }
}
