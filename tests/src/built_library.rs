//! Libraries of this workspace as files, built when a test needs them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};

/// Builds an example of a package that is a C library, in the profile of this test, and returns its file.
pub fn built_example(package: &str, example: &str) -> anyhow::Result<PathBuf> {
    build(
        &["-p", package, "--example", example],
        &format!("examples/lib{example}.so"),
    )
}

/// Builds the C library of a package, in the profile of this test, and returns its file.
pub fn built_library(package: &str, library: &str) -> anyhow::Result<PathBuf> {
    build(&["-p", package, "--lib"], &format!("lib{library}.so"))
}

/// Builds a command of a package, in the profile of this test, and returns its file.
pub fn built_command(package: &str, command: &str) -> anyhow::Result<PathBuf> {
    build(&["-p", package, "--bin", command], command)
}

fn build(target: &[&str], file: &str) -> anyhow::Result<PathBuf> {
    // A test runs from <target>/<profile>/deps/<name>.
    let test = std::env::current_exe().context("own path")?;
    let profile = test
        .parent()
        .and_then(|deps| deps.parent())
        .context("profile folder")?;
    let target_folder = profile.parent().context("target folder")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg("build")
        .args(target)
        .arg("--target-dir")
        .arg(target_folder);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.output().context("cargo build")?;
    ensure!(
        output.status.success(),
        "cargo build {target:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let file = profile.join(file);
    ensure!(file.exists(), "{} was not built", file.display());
    Ok(file)
}
