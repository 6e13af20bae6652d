//! `ducktrack export DIR... --to FORMAT -o FILE|ROOT`

mod enriched_dump;
mod exported;
mod otlp;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_analyses::{SpaceUse, TimelineCourse};
use ducktrack_count_model::OffHeapRow;
use ducktrack_exports::{Pause, firefox, jfr, pprof, speedscope};
use ducktrack_profile::Unit;
use ducktrack_reports::{Sort, View, view, whole_stacks};
use ducktrack_trace_reader::EventFiles;

use self::exported::Exported;
use crate::fleet::TablesArgs;
use crate::live_sites::{self, LiveSites};
use crate::loading;
use crate::selection::Selection;
use crate::target::recording;
use crate::trace_loading::load_trace;
use crate::window_args::WindowArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack export ducktrack-4711 --to pprof -o run.pb.gz
      go tool pprof -top run.pb.gz
  ducktrack export ducktrack-4711 --to speedscope -o run.json
      speedscope run.json
  ducktrack export ducktrack-4711 --to firefox -o run.json
      profiler.firefox.com, load from file
  ducktrack export ducktrack-4711 --to collapsed -o run.txt
      flamegraph.pl run.txt
  ducktrack export ducktrack-4711 --to jfr -o run.jfr
      jfr view allocation-by-site run.jfr, JDK Mission Control
  ducktrack export ducktrack-4711 --to otlp --push grpc://127.0.0.1:4317
      an OpenTelemetry collector
  ducktrack export ducktrack-4711 --to hprof --dump heap.hprof -o sites.hprof.gz
      for Eclipse MAT, VisualVM
  ducktrack export ducktrack-* --to parquet -o root --service web --version 2
      ducktrack fleet fleet regression
  ducktrack export 4711 --follow --to parquet -o root --service web --version 2
      every ten minutes, until it ends")]
pub(crate) struct ExportArgs {
    /// The directory that the agent wrote, or the process that writes it; of parquet any number of them
    #[arg(value_name = "PID|DIR", value_parser = recording, required = true)]
    traces: Vec<PathBuf>,
    /// The format of the file
    #[arg(long, value_enum)]
    to: Format,
    /// The file; an HPROF file is packed when its name ends in .gz. Of parquet the root of the tables: a folder, s3://, gs:// or az://
    #[arg(short, long, value_name = "FILE|ROOT")]
    output: Option<PathBuf>,
    /// With --to hprof: a heap dump of the traced JVM; ducktrack snapshot PID --dump makes one
    #[arg(long, value_name = "FILE", required_if_eq("to", "hprof"))]
    dump: Option<PathBuf>,
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    otlp: otlp::OtlpArgs,
    /// With --to parquet or otlp: export a program while it runs, window by window, until it ends
    #[arg(long)]
    follow: bool,
    /// Length of a window, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    every: u64,
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
    /// JDK Flight Recorder: jfr, JDK Mission Control, IntelliJ
    Jfr,
    /// Profiles of OpenTelemetry (alpha), into a file or to a collector
    Otlp,
    /// The heap dump with allocation sites as stack traces, for readers of HPROF (mode=trace)
    Hprof,
    /// Tables of a fleet for DuckDB and Spark: ducktrack fleet
    Parquet,
}

impl ExportArgs {
    /// Whether a heap dump is read.
    pub(crate) fn reads_dump(&self) -> bool {
        self.to == Format::Hprof
    }
}

pub(crate) fn run(args: ExportArgs) -> Result<ExitCode> {
    match args.to {
        Format::Parquet => {
            let root = output(&args)?.to_string_lossy();
            let follow = args.follow;
            return args.tables.export(&args.traces, &root, follow, args.every);
        }
        _ => args.tables.refuse()?,
    }
    let [trace] = args.traces.as_slice() else {
        bail!("give one recording: only --to parquet takes several");
    };
    match (&args.dump, args.reads_dump()) {
        (Some(dump), true) => return enriched_dump::write(trace, dump, output(&args)?),
        (Some(_), false) => bail!("--dump is for --to hprof"),
        _ => {}
    }
    if args.to == Format::Otlp {
        let seconds = args.follow.then_some(args.every);
        let file = args.output.as_deref();
        return args.otlp.export(trace, seconds, &args.windows, file);
    }
    if args.follow {
        bail!("--follow is for --to parquet and --to otlp");
    }
    let file = output(&args)?.to_owned();
    let model = loading::load_windows(trace, &args.windows)?;
    let sort = Sort::from(args.selection.order());
    let view = view(&model, &trace.display().to_string(), &args.selection.into());
    let live = match args.to {
        Format::Collapsed | Format::Hprof | Format::Jfr => None,
        _ => live_sites::at_end(trace)?,
    };
    let bytes = match args.to {
        Format::Jfr => jfr(&Exported::of(&view, &[], None).export(), &pauses(trace)?),
        to => write(to, (&view, &model.off_heap), sort, live.as_ref())?,
    };
    std::fs::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!(
        "{}: {} bytes, {} stacks of {} B in {} objects",
        file.display(),
        bytes.len(),
        view.stacks.rows.len(),
        view.stacks.total.bytes,
        view.stacks.total.count
    );
    Ok(ExitCode::SUCCESS)
}

fn output(args: &ExportArgs) -> Result<&Path> {
    args.output.as_deref().context("give --output FILE")
}

/// The collections of a traced run.
fn pauses(trace: &Path) -> Result<Vec<Pause>> {
    if EventFiles::open(trace)?.files().is_empty() {
        return Ok(Vec::new());
    }
    let (_, timeline) = load_trace(trace, TimelineCourse::default())?;
    let used = |spaces: &[SpaceUse]| spaces.iter().map(|space| space.used).sum();
    let pauses = timeline.points.iter().map(|point| Pause {
        collection: point.collection,
        kind: point.kind.name().to_owned(),
        start_nanos: point.start_micros.saturating_mul(1000),
        nanos: point.pause_micros().saturating_mul(1000),
        before: used(&point.before),
        after: used(&point.after),
    });
    Ok(pauses.collect())
}

fn write(
    to: Format,
    (view, off_heap): (&View, &[OffHeapRow]),
    sort: Sort,
    live: Option<&LiveSites>,
) -> Result<Vec<u8>> {
    let exported = Exported::of(view, off_heap, live);
    let export = exported.export();
    let unit = match sort {
        Sort::Bytes => Unit::Bytes,
        Sort::Count => Unit::Objects,
    };
    Ok(match to {
        Format::Pprof => pprof(&export)?,
        Format::Speedscope => speedscope(&export)?.into_bytes(),
        Format::Firefox => firefox(&export)?.into_bytes(),
        // The others have been written by then.
        _ => whole_stacks(&view.stacks, unit).into_bytes(),
    })
}
