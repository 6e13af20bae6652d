//! Trace directory to model: the records.

use std::path::Path;

use anyhow::Result;
use ducktrack_count_model::{CountModelBuilder, WindowChoice};
use ducktrack_trace_reader::{Record, TraceReader};

use crate::progress::Progress;

/// Records between two movements of the bar.
const STEP: u64 = 4096;

/// Reads all records of a trace, and what is wrong with their files. Damage is no error: it is in the model.
pub(crate) fn load_records(path: &Path) -> Result<CountModelBuilder> {
    fold_records(path, CountModelBuilder::new())
}

/// The same, and keeps what was counted in some windows.
pub(crate) fn load_records_of(path: &Path, windows: WindowChoice) -> Result<CountModelBuilder> {
    fold_records(path, CountModelBuilder::of_windows(windows))
}

fn fold_records(path: &Path, mut builder: CountModelBuilder) -> Result<CountModelBuilder> {
    let reader = read_records(path, |record| {
        builder.fold(record);
        Ok(())
    })?;
    if let Some(unended) = reader.unended() {
        builder.unended(unended.clone());
    }
    for (file, damage) in reader.damage() {
        builder.damage(file.display().to_string(), damage.clone());
    }
    Ok(builder)
}

/// Gives all records to `take`; the reader then knows what is missing.
pub(crate) fn read_records(
    path: &Path,
    mut take: impl FnMut(Record) -> Result<()>,
) -> Result<TraceReader> {
    let mut reader = TraceReader::open(path)?;
    let progress = Progress::of_records();
    let mut records = 0;
    for record in reader.by_ref() {
        take(record)?;
        records += 1;
        if records % STEP == 0 {
            progress.at(records);
        }
    }
    progress.done();
    Ok(reader)
}
