//! The command of this workspace, built beside `ducktrack-reach` as a release has it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const REACH: &str = env!("CARGO_BIN_EXE_ducktrack-reach");

pub(crate) fn ducktrack() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

/// In the profile of this test.
fn build() -> PathBuf {
    let profile = Path::new(REACH).parent().expect("the folder of a profile");
    let mut cargo = Command::new(env!("CARGO"));
    // Of the whole workspace: else some crates have fewer features, and what depends on them is compiled again.
    cargo
        .args(["build", "--locked", "--quiet", "--workspace"])
        .args(["--bin", "ducktrack", "--target-dir"])
        .arg(profile.parent().expect("the target folder"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    profile.join("ducktrack")
}
