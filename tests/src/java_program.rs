//! Compiles the programs of `tests/java`.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::jdk::every_jdk;

/// Compiles programs of `tests/java` for Java `release` into `folder`, with the oldest full JDK that can do so,
/// regardless of the JDK that runs the tests. `Ok(false)` if there is none.
pub fn compile_java(programs: &[&str], release: u32, folder: &Path) -> anyhow::Result<bool> {
    compile_java_with(programs, release, folder, &[])
}

/// The same for programs that need libraries.
pub fn compile_java_with(
    programs: &[&str],
    release: u32,
    folder: &Path,
    libraries: &[PathBuf],
) -> anyhow::Result<bool> {
    let compilers = every_jdk()
        .into_iter()
        .filter(|jdk| jdk.has("javac") && jdk.version >= release);
    let Some(jdk) = compilers.min_by_key(|jdk| jdk.version) else {
        return Ok(false);
    };
    let sources: Vec<PathBuf> = programs.iter().map(|name| source(name)).collect();
    let output = jdk
        .tool("javac")
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

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("java")
        .join(format!("{name}.java"))
}
