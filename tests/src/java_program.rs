//! Compiles the Java programs of the tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::jdk::every_jdk;
use crate::program_source::program_source;

/// Compiles Java programs of the tests for Java `release` into `folder`, with the oldest full JDK that can do so,
/// regardless of the JDK that runs the tests. `Ok(false)` if there is none.
pub fn compile_java(programs: &[&str], release: u32, folder: &Path) -> anyhow::Result<bool> {
    compile_java_with(programs, release, folder, &[])
}

/// The same, with the names of parameters (`-parameters`).
pub fn compile_java_with_parameters(
    programs: &[&str],
    release: u32,
    folder: &Path,
) -> anyhow::Result<bool> {
    compile(programs, release, folder, (&[], &["-parameters"]))
}

/// The same for programs that need libraries.
pub fn compile_java_with(
    programs: &[&str],
    release: u32,
    folder: &Path,
    libraries: &[PathBuf],
) -> anyhow::Result<bool> {
    compile(programs, release, folder, (libraries, &[]))
}

fn compile(
    programs: &[&str],
    release: u32,
    folder: &Path,
    (libraries, more): (&[PathBuf], &[&str]),
) -> anyhow::Result<bool> {
    let compilers = every_jdk()
        .into_iter()
        .filter(|jdk| jdk.has("javac") && jdk.version >= release);
    let Some(jdk) = compilers.min_by_key(|jdk| jdk.version) else {
        return Ok(false);
    };
    let sources: Vec<PathBuf> = programs
        .iter()
        .map(|name| program_source(&format!("{name}.java")))
        .collect();
    let output = jdk
        .tool("javac")
        .args(more)
        .args(["-nowarn", "-g", "-proc:none", "--release"])
        .arg(release.to_string())
        .arg("-cp")
        .arg(std::env::join_paths(libraries)?)
        .arg("-d")
        .arg(folder)
        .args(&sources)
        .output()
        .context("javac")?;
    ensure!(
        output.status.success(),
        "javac: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(true)
}
