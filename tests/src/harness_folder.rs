//! The output of `scripts/harness-build`: the folder in `DUCKTRACK_HARNESS`, or `java-harness/target` of this checkout.

use std::path::{Path, PathBuf};

/// The folder with `harness.jar`, `lib` and `known`. It may not have been built yet.
pub fn harness_folder() -> PathBuf {
    match std::env::var_os("DUCKTRACK_HARNESS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness/target"),
    }
}
