//! Tools that build Java projects, and may need the network for it.

use std::process::Command;

use ducktrack_test_support::Finished;

/// Runs a tool with its option for work without the network; if it fails, without that: files may not have been fetched yet.
pub fn offline_first(tool: impl Fn() -> Command, offline: &str) -> Finished {
    let first = Finished::of(tool().arg(offline));
    match first.status.success() {
        true => first,
        false => Finished::of(&mut tool()),
    }
}
