//! The agent's library and the command: `DUCKTRACK_LIBRARY` and `DUCKTRACK_COMMAND`, or the up-to-date release build of this checkout.
//!
//! It never uses an outdated build. A file named in a variable must exist.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{anyhow, ensure};

use crate::built_library::release_build;

/// `libducktrack.so`
pub fn agent_library() -> anyhow::Result<PathBuf> {
    static LIBRARY: Found = Found::new();
    found(&LIBRARY, "DUCKTRACK_LIBRARY", || {
        release_build(
            &[
                "-p",
                "ducktrack-agent",
                "--lib",
                "--features",
                "test-switches",
            ],
            "libducktrack.so",
        )
    })
}

/// `ducktrack`
pub fn ducktrack_command() -> anyhow::Result<PathBuf> {
    static COMMAND: Found = Found::new();
    found(&COMMAND, "DUCKTRACK_COMMAND", || {
        release_build(
            &["-p", "ducktrack-cli", "-p", "ducktrack-reach", "--bins"],
            "ducktrack",
        )
    })
}

/// The path, or the reason why there is none; determined once.
type Found = OnceLock<Result<PathBuf, String>>;

fn found(
    found: &Found,
    variable: &str,
    build: impl FnOnce() -> anyhow::Result<PathBuf>,
) -> anyhow::Result<PathBuf> {
    let find = || match std::env::var_os(variable) {
        Some(file) => named(variable, file.into()),
        None => build(),
    };
    found
        .get_or_init(|| find().map_err(|error| format!("{error:#}")))
        .clone()
        .map_err(|error| anyhow!(error))
}

fn named(variable: &str, file: PathBuf) -> anyhow::Result<PathBuf> {
    ensure!(
        file.is_file(),
        "{variable}={}: no such file",
        file.display()
    );
    Ok(file)
}
