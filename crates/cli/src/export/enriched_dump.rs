//! `ducktrack export --to hprof`: a heap dump again, with the allocation site of each object as its stack trace.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use ducktrack_holders::{DumpError, DumpFile, Enriched, SiteTraces, enrich};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::dump_loading::DumpTrace;

/// Only the owner may read a dump: it holds the program's data.
const PRIVATE: u32 = 0o600;

/// Writes the dump again, packed when the name ends in `.gz`.
pub(super) fn write(folder: &Path, dump: &Path, output: &Path) -> Result<ExitCode> {
    if is_same(dump, output) {
        bail!("{}: give another file to write to", output.display());
    }
    let mut trace = DumpTrace::without_graph(folder, dump, ())?;
    let objects = trace.objects()?;
    let mut sites = SiteTraces::new(&trace.model.count, &objects);
    sites.of_identifiers(identifiers(trace.file()).map_err(|error| trace.fault(error))?);
    let traces = core::mem::take(&mut sites.traces);
    let write = |out: &mut dyn Write| {
        let trace_of = |address| sites.trace_of(address);
        enrich(trace.file(), &traces, trace_of, out).map_err(|error| trace.fault(error))
    };
    let unfinished = UnfinishedFile::new(output)?;
    let file = unfinished.open()?;
    let sum = match output.extension().is_some_and(|ending| ending == "gz") {
        true => {
            let mut packer = GzEncoder::new(BufWriter::new(file), Compression::fast());
            let sum = write(&mut packer)?;
            let finished = packer.finish().and_then(|mut out| out.flush());
            finished.with_context(|| cannot_write(output))?;
            sum
        }
        false => write(&mut BufWriter::new(file))?,
    };
    unfinished.finish()?;
    print_sum(output, sum);
    Ok(ExitCode::SUCCESS)
}

/// The lowest and the highest identifier of the dump's objects.
fn identifiers(dump: &DumpFile) -> Result<(u64, u64), DumpError> {
    let mut ends = (u64::MAX, 0);
    let note = |id: u64| {
        ends = (ends.0.min(id), ends.1.max(id));
        None
    };
    enrich(dump, &[], note, io::sink())?;
    Ok(ends)
}

fn is_same(dump: &Path, output: &Path) -> bool {
    matches!((dump.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A file under another name until it is whole; deleted if it does not become so.
struct UnfinishedFile<'a> {
    path: &'a Path,
    temporary: PathBuf,
}

impl<'a> UnfinishedFile<'a> {
    fn new(path: &'a Path) -> Result<Self> {
        let mut name = path
            .file_name()
            .with_context(|| cannot_write(path))?
            .to_owned();
        name.push(format!(".unfinished-{}", std::process::id()));
        let temporary = path.with_file_name(name);
        Ok(Self { path, temporary })
    }

    fn open(&self) -> Result<File> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(PRIVATE);
        let file = options.open(&self.temporary);
        file.with_context(|| cannot_write(self.path))
    }

    fn finish(&self) -> Result<()> {
        fs::rename(&self.temporary, self.path).with_context(|| cannot_write(self.path))
    }
}

impl Drop for UnfinishedFile<'_> {
    fn drop(&mut self) {
        // A finished file has another name by now.
        let _ = fs::remove_file(&self.temporary);
    }
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
