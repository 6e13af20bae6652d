//! `ducktrack enrich FILE DIR -o OUT`

use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ducktrack_analyses::Questions;
use ducktrack_holders::{Enriched, SiteTraces, enrich};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::dump_loading::DumpTrace;
use crate::trace_report::load_events;

/// Only the owner may read a dump: it holds the program's data.
const PRIVATE: u32 = 0o600;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack enrich heap.hprof ducktrack-4711 -o sites.hprof.gz   every object with its allocation site as a stack trace

Eclipse MAT, VisualVM and other readers of HPROF open the result.")]
pub(crate) struct EnrichArgs {
    /// A heap dump of the traced JVM: ducktrack dump makes one
    #[arg(value_name = "FILE")]
    dump: PathBuf,
    /// The directory that the agent wrote with mode=trace
    #[arg(value_name = "DIR")]
    trace: PathBuf,
    /// The dump to write; packed when the name ends in .gz
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

pub(crate) fn run(args: EnrichArgs) -> Result<ExitCode> {
    if is_same(&args.dump, &args.output) {
        bail!("{}: give another file to write to", args.output.display());
    }
    let load = |questions: &Questions| load_events(&args.trace, questions);
    let mut trace = DumpTrace::load(load, &args.dump, Questions::default())?;
    let objects = trace.objects()?;
    let mut sites = SiteTraces::new(&trace.model.count, &objects);
    let traces = core::mem::take(&mut sites.traces);
    let write = |out: &mut dyn Write| {
        let trace_of = |address| sites.trace_of(address);
        enrich(trace.file(), &traces, trace_of, out).map_err(|error| trace.fault(error))
    };
    let file = private_file(&args.output)?;
    let sum = match args.output.extension().is_some_and(|ending| ending == "gz") {
        true => {
            let mut packer = GzEncoder::new(BufWriter::new(file), Compression::fast());
            let sum = write(&mut packer)?;
            let finished = packer.finish().and_then(|mut out| out.flush());
            finished.with_context(|| cannot_write(&args.output))?;
            sum
        }
        false => write(&mut BufWriter::new(file))?,
    };
    print_sum(&args.output, sum);
    Ok(ExitCode::SUCCESS)
}

fn is_same(dump: &Path, output: &Path) -> bool {
    matches!((dump.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn private_file(path: &Path) -> Result<File> {
    let open = || -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true);
        let file = options.mode(PRIVATE).open(path)?;
        // A file that was there keeps its rights otherwise.
        file.set_permissions(Permissions::from_mode(PRIVATE))?;
        Ok(file)
    };
    open().with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn print_sum(output: &Path, sum: Enriched) {
    println!(
        "{}: {} of {} objects with their allocation site, {} sites",
        output.display(),
        sum.with_site,
        sum.objects,
        sum.traces
    );
}
