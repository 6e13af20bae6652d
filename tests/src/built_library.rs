//! Builds parts of this workspace when a test needs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_test_support::printed_by;

/// Builds one of the agents in `tests/agents`, in the profile of this test, and returns the library's path.
#[must_use]
pub fn built_agent(agent: &str) -> PathBuf {
    let profile = own_profile();
    build(
        // Of the whole workspace: else some crates have fewer features, and what depends on them is compiled again.
        &["--workspace", "--example", agent],
        &profile.join(format!("examples/lib{agent}.so")),
        profile.ends_with("release"),
    )
}

/// The option of a JVM for one of these agents, which writes to a file.
#[must_use]
pub fn with_file(agent: &Path, file: &Path) -> String {
    format!("-agentpath:{}={}", agent.display(), file.display())
}

/// Builds `target` in the release profile, and returns the path of `file`.
pub(crate) fn release_build(target: &[&str], file: &str) -> PathBuf {
    let profile = own_profile().with_file_name("release");
    build(target, &profile.join(file), true)
}

/// `<target>/<profile>` of this test, which runs from `<target>/<profile>/deps/<name>`.
fn own_profile() -> PathBuf {
    let test = std::env::current_exe().expect("own path");
    let profile = test.ancestors().nth(2);
    profile.expect("profile folder").to_owned()
}

fn build(target: &[&str], file: &Path, release: bool) -> PathBuf {
    let own_profile = own_profile();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.arg("build").args(target).arg("--target-dir");
    cargo.arg(own_profile.parent().expect("target folder"));
    if release {
        cargo.arg("--release");
    }
    printed_by(&mut cargo);
    assert!(file.exists(), "{} was not built", file.display());
    file.to_owned()
}
