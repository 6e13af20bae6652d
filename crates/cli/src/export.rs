//! `ducktrack export DIR... --to FORMAT -o FILE|ROOT`

mod enriched_dump;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_count_model::Tally;
use ducktrack_exports::{Export, firefox, pprof, speedscope};
use ducktrack_profile::Unit;
use ducktrack_reports::{Sort, View, view, whole_stacks};

#[cfg(feature = "fleet")]
use crate::fleet::TablesArgs;
use crate::live_sites::{self, LiveSites};
use crate::loading;
use crate::selection::Selection;
use crate::target::recording;
use crate::window_args::WindowArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack export ducktrack-4711 --to pprof -o run.pb.gz          go tool pprof -top run.pb.gz
  ducktrack export ducktrack-4711 --to speedscope -o run.json      speedscope run.json
  ducktrack export ducktrack-4711 --to firefox -o run.json         profiler.firefox.com, load from file
  ducktrack export ducktrack-4711 --to collapsed -o run.txt        flamegraph.pl run.txt
  ducktrack export ducktrack-4711 --to hprof --dump heap.hprof -o sites.hprof.gz   for Eclipse MAT, VisualVM
  ducktrack export ducktrack-* --to parquet -o fleet --service orders --version 1.4          ducktrack fleet fleet regression
  ducktrack export 4711 --follow --to parquet -o fleet --service orders --version 1.4        every ten minutes, until it ends")]
pub(crate) struct ExportArgs {
    /// The directory that the agent wrote, or the process that writes it; of parquet any number of them
    #[arg(value_name = "PID|DIR", value_parser = recording, required = true)]
    traces: Vec<PathBuf>,
    /// The format of the file
    #[arg(long, value_enum)]
    to: Format,
    /// The file; an HPROF file is packed when its name ends in .gz. Of parquet the root of the tables: a folder, s3://, gs:// or az://
    #[arg(short, long, value_name = "FILE|ROOT")]
    output: PathBuf,
    /// With --to hprof: a heap dump of the traced JVM; ducktrack dump makes one
    #[arg(long, value_name = "FILE", required_if_eq("to", "hprof"))]
    dump: Option<PathBuf>,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    windows: WindowArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Gzipped protocol buffers: go tool pprof, Pyroscope, Parca
    Pprof,
    /// JSON for speedscope.app
    Speedscope,
    /// JSON for profiler.firefox.com
    Firefox,
    /// One line per stack, with bytes (or, with --sort count, objects)
    Collapsed,
    /// The heap dump with allocation sites as stack traces, for readers of HPROF (mode=trace)
    Hprof,
    /// Tables of a fleet for DuckDB and Spark: ducktrack fleet
    #[cfg(feature = "fleet")]
    Parquet,
}

impl ExportArgs {
    /// Whether a heap dump is read.
    pub(crate) fn reads_dump(&self) -> bool {
        self.to == Format::Hprof
    }
}

pub(crate) fn run(args: ExportArgs) -> Result<ExitCode> {
    #[cfg(feature = "fleet")]
    match args.to {
        Format::Parquet => {
            let root = args.output.to_string_lossy();
            return args.tables.export(&args.traces, &root);
        }
        _ => args.tables.refuse()?,
    }
    let [trace] = args.traces.as_slice() else {
        bail!("give one recording: only --to parquet takes several");
    };
    match (&args.dump, args.reads_dump()) {
        (Some(dump), true) => return enriched_dump::write(trace, dump, &args.output),
        (Some(_), false) => bail!("--dump is for --to hprof"),
        _ => {}
    }
    let model = loading::load_windows(trace, &args.windows)?;
    let sort = Sort::from(args.selection.order());
    let view = view(&model, &trace.display().to_string(), &args.selection.into());
    let live = match args.to {
        Format::Collapsed | Format::Hprof => None,
        _ => live_sites::at_end(trace)?,
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
        Format::Collapsed | Format::Hprof => {
            let unit = match sort {
                Sort::Bytes => Unit::Bytes,
                Sort::Count => Unit::Objects,
            };
            whole_stacks(&view.stacks, unit).into_bytes()
        }
        #[cfg(feature = "fleet")]
        Format::Parquet => Vec::new(),
    })
}
