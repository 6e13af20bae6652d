//! The same counts where rewritten classes are kept between runs: the
//! folder is empty, then filled, then damaged, and all programs share it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use ducktrack_tests::checked;

use crate::matrix::{Matrix, Task};
use crate::{check, work_queue};

/// One byte in so many is another one afterwards.
const DAMAGED: usize = 5_000;

#[test]
fn every_known_count_is_exact_with_kept_classes() -> anyhow::Result<()> {
    let matrix = Matrix::of_environment()?;
    let folder = tempfile::tempdir()?;
    let cache = folder.path().join("cache");
    let options = format!("counters=path,cache={}", cache.display());
    let tasks = matrix.tasks_with(&options);
    exact("cold and shared", &tasks)?;
    let filled = bytes_of(&cache)?;
    ensure!(filled > 0, "nothing is kept");
    exact("filled", &tasks)?;
    let again = bytes_of(&cache)?;
    ensure!(
        again < filled + filled / 4,
        "{filled} bytes were kept, and {again} after the same runs"
    );
    for file in files(&cache)? {
        damage(&file)?;
    }
    exact("damaged", &tasks)
}

fn exact(state: &str, tasks: &[Task<'_>]) -> anyhow::Result<()> {
    let results = work_queue::run(tasks, check);
    let failed = results.iter().filter(|result| result.is_err()).count();
    ensure!(
        failed == 0,
        "{state}: {failed} of {} programs differ",
        tasks.len()
    );
    let rows: usize = results.iter().flatten().sum();
    ensure!(rows > 0, "{state}: no row was compared");
    checked(&format!("known counts, {state} cache: {rows} rows exact"));
    Ok(())
}

fn files(cache: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let all = fs::read_dir(cache).context("the cache")?;
    let paths = all.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<anyhow::Result<_>>()?;
    let is_kept = |path: &PathBuf| path.extension().is_some_and(|own| own == "classes");
    Ok(paths.into_iter().filter(is_kept).collect())
}

fn bytes_of(cache: &Path) -> anyhow::Result<u64> {
    let lengths = files(cache)?
        .into_iter()
        .map(|path| Ok(fs::metadata(path)?.len()));
    lengths.sum()
}

/// The rows stay whole, so that contents are what is damaged.
fn damage(file: &Path) -> anyhow::Result<()> {
    let mut bytes = fs::read(file)?;
    let rows = bytes.get(8..12).and_then(|count| count.try_into().ok());
    let first = 16 + 32 * rows.map_or(0, u32::from_le_bytes) as usize;
    for byte in bytes.iter_mut().skip(first).step_by(DAMAGED) {
        *byte ^= 0x40;
    }
    Ok(fs::write(file, bytes)?)
}
