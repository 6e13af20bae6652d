//! `ducktrack export DIR --to FORMAT -o FILE`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use ducktrack_count_model::Tally;
use ducktrack_exports::{Export, firefox, pprof, speedscope};
use ducktrack_profile::Unit;
use ducktrack_reports::{Sort, View, view, whole_stacks};

use crate::live_sites::{self, LiveSites};
use crate::loading;
use crate::selection::Selection;
use crate::window_args::WindowArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack export ducktrack-4711 --to pprof -o run.pb.gz          go tool pprof -top run.pb.gz
  ducktrack export ducktrack-4711 --to speedscope -o run.json      speedscope run.json
  ducktrack export ducktrack-4711 --to firefox -o run.json         profiler.firefox.com, load from file
  ducktrack export ducktrack-4711 --to collapsed -o run.txt        flamegraph.pl run.txt")]
pub(crate) struct ExportArgs {
    /// The directory that the agent wrote
    #[arg(value_name = "DIR")]
    trace: PathBuf,
    /// The format of the file
    #[arg(long, value_enum)]
    to: Format,
    /// The file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    windows: WindowArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Gzipped protocol buffers: go tool pprof, Pyroscope, Parca
    Pprof,
    /// JSON for speedscope.app
    Speedscope,
    /// JSON for profiler.firefox.com
    Firefox,
    /// One line per stack, with bytes (or, with --sort count, objects)
    Collapsed,
}

pub(crate) fn run(args: ExportArgs) -> Result<ExitCode> {
    let model = loading::load_windows(&args.trace, &args.windows)?;
    let sort = Sort::from(args.selection.order());
    let view = view(
        &model,
        &args.trace.display().to_string(),
        &args.selection.into(),
    );
    let live = match args.to {
        Format::Collapsed => None,
        _ => live_sites::at_end(&args.trace)?,
    };
    let bytes = write(args.to, &view, sort, live.as_ref())?;
    std::fs::write(&args.output, &bytes)
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    eprintln!(
        "{}: {} bytes, {} stacks of {} B in {} objects",
        args.output.display(),
        bytes.len(),
        view.stacks.rows.len(),
        view.stacks.total.bytes,
        view.stacks.total.count
    );
    Ok(ExitCode::SUCCESS)
}

fn write(to: Format, view: &View, sort: Sort, live: Option<&LiveSites>) -> Result<Vec<u8>> {
    let live: Option<Vec<Tally>> = live.map(|live| view.stacks.live_rows(live));
    let export = Export {
        profile: &view.stacks,
        live: live.as_deref(),
        name: &view.run.command,
        pid: view.run.pid,
        start_unix_millis: view.run.start_unix_millis,
        duration_millis: view.duration_millis().unwrap_or(0),
    };
    Ok(match to {
        Format::Pprof => pprof(&export)?,
        Format::Speedscope => speedscope(&export)?.into_bytes(),
        Format::Firefox => firefox(&export)?.into_bytes(),
        Format::Collapsed => {
            let unit = match sort {
                Sort::Bytes => Unit::Bytes,
                Sort::Count => Unit::Objects,
            };
            whole_stacks(&view.stacks, unit).into_bytes()
        }
    })
}
