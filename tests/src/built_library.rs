//! Builds parts of this workspace when a test needs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// Builds one of the agents in `tests/agents`, in the profile of this test, and returns the library's path.
pub fn built_agent(agent: &str) -> anyhow::Result<PathBuf> {
    let profile = own_profile()?;
    build(
        // Of the whole workspace: else some crates have fewer features, and what depends on them is compiled again.
        &["--workspace", "--example", agent],
        &profile.join(format!("examples/lib{agent}.so")),
        profile.ends_with("release"),
    )
}

/// Builds `target` in the release profile, and returns the path of `file`.
pub(crate) fn release_build(target: &[&str], file: &str) -> anyhow::Result<PathBuf> {
    let profile = own_profile()?.with_file_name("release");
    build(target, &profile.join(file), true)
}

/// `<target>/<profile>` of this test, which runs from `<target>/<profile>/deps/<name>`.
fn own_profile() -> anyhow::Result<PathBuf> {
    let test = std::env::current_exe().context("own path")?;
    let profile = test.parent().and_then(Path::parent);
    Ok(profile.context("profile folder")?.to_owned())
}

fn build(target: &[&str], file: &Path, release: bool) -> anyhow::Result<PathBuf> {
    let own_profile = own_profile()?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg("build")
        .args(target)
        .arg("--target-dir")
        .arg(own_profile.parent().context("target folder")?);
    if release {
        cargo.arg("--release");
    }
    let output = cargo.output().context("cargo build")?;
    ensure!(
        output.status.success(),
        "cargo build {target:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    ensure!(file.exists(), "{} was not built", file.display());
    Ok(file.to_owned())
}
