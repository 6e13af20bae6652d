//! Where the sources of test programs are: beside the tests that run them, in the folder of an area (`tests/trace`)
//! or of one program of tests in it (`tests/trace/trace_soak`); in `tests/java` those that several areas run.

use std::path::{Path, PathBuf};

/// The source `file` of a test program, such as `LostHeap.java`.
///
/// # Panics
/// If there is none of this name.
#[must_use]
pub fn program_source(file: &str) -> PathBuf {
    let areas = folders(Path::new(env!("CARGO_MANIFEST_DIR")));
    let programs = areas.iter().flat_map(|area| folders(area));
    let found = areas
        .iter()
        .cloned()
        .chain(programs)
        .map(|folder| folder.join(file))
        .find(|source| source.is_file());
    found.unwrap_or_else(|| panic!("no folder of tests has {file}"))
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}
