//! The agent's library and the command: `DUCKTRACK_LIBRARY` and `DUCKTRACK_COMMAND`, or the release build of this checkout, or built now.

use std::path::{Path, PathBuf};

use crate::built_library::{built_command, built_library};

fn found(variable: &str, file: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        return Some(PathBuf::from(path));
    }
    let release = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/release")
        .join(file);
    release.exists().then_some(release)
}

/// `libducktrack.so`
pub fn agent_library() -> anyhow::Result<PathBuf> {
    match found("DUCKTRACK_LIBRARY", "libducktrack.so") {
        Some(path) => Ok(path),
        None => built_library("ducktrack-agent", "ducktrack"),
    }
}

/// `ducktrack`
pub fn ducktrack_command() -> anyhow::Result<PathBuf> {
    match found("DUCKTRACK_COMMAND", "ducktrack") {
        Some(path) => Ok(path),
        None => built_command("ducktrack-cli", "ducktrack"),
    }
}
