//! The workloads of the harness.

use std::path::PathBuf;

use crate::full_run::is_full_run;
use crate::harness_folder::harness_folder;

/// The exit code of a workload whose input is not there.
pub(crate) const SKIPPED: i32 = 77;

/// The jar with all of them.
///
/// # Panics
/// It is not built.
#[must_use]
pub fn harness_jar() -> PathBuf {
    let jar = harness_folder().join("harness.jar");
    let shown = jar.display();
    assert!(
        jar.exists(),
        "{shown} is not there: run scripts/harness-build first"
    );
    jar
}

/// The programs of the suite.
const ALL: &[&str] = &[
    "json", "streams", "sunflow", "jython", "lusearch", "h2", "xalan", "fop", "tomcat", "javac",
    "serial", "batik",
];

/// Those of `DUCKTRACK_WORKLOADS`; else all in the full run, and some in others.
#[must_use]
pub fn workloads(some: &[&str]) -> Vec<String> {
    if let Ok(names) = std::env::var("DUCKTRACK_WORKLOADS") {
        return names.split(',').map(str::to_owned).collect();
    }
    let names = if is_full_run() { ALL } else { some };
    names.iter().map(|&name| name.to_owned()).collect()
}
