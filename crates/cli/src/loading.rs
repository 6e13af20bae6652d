//! Trace directory to model, with a progress bar where somebody watches.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::Result;
use ducktrack_heap_model::{CountModel, CountModelBuilder};
use ducktrack_trace_reader::TraceReader;
use indicatif::{ProgressBar, ProgressStyle};

/// Smaller traces are read before a bar could be seen.
const WORTH_A_BAR: u64 = 32 << 20;
/// Records between two movements of the bar.
const STEP: u64 = 4096;

/// Reads a whole trace. Damage is no error: it is in the model.
pub(crate) fn load(path: &Path) -> Result<CountModel> {
    Ok(load_records(path)?.finish())
}

/// Reads all records of a trace, and what is wrong with their files.
pub(crate) fn load_records(path: &Path) -> Result<CountModelBuilder> {
    let mut reader = TraceReader::open(path)?;
    let bar = progress(
        reader
            .files()
            .iter()
            .filter_map(|file| fs::metadata(file).ok())
            .map(|data| data.len())
            .sum(),
    );
    let mut builder = CountModelBuilder::new();
    let mut records = 0;
    for record in reader.by_ref() {
        builder.fold(record);
        records += 1;
        if records % STEP == 0 {
            bar.set_position(records);
        }
    }
    bar.finish_and_clear();
    for (file, damage) in reader.damage() {
        builder.damage(file.display().to_string(), damage.clone());
    }
    Ok(builder)
}

/// A bar of bytes, where somebody watches and it is worth it.
pub(crate) fn byte_progress(bytes: u64) -> ProgressBar {
    if bytes < WORTH_A_BAR || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    let bar = ProgressBar::new(bytes);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn progress(bytes: u64) -> ProgressBar {
    if bytes < WORTH_A_BAR || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} reading: {human_pos} records, {elapsed}");
    let bar = ProgressBar::new_spinner();
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
