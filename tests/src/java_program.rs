//! Compiles the Java programs of the tests.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::jdk::every_jdk;
use crate::program_source::program_source;
use ducktrack_test_support::printed_by;

/// Java programs of the tests, compiled for Java `release` with the oldest full JDK that can do so, regardless of the
/// JDK that runs the tests.
///
/// # Panics
/// They cannot be compiled, here or at all.
#[must_use]
pub fn compiled(programs: &[&str], release: u32) -> TempDir {
    compiled_with(programs, release, &[])
}

/// The same for programs that need libraries, or sources beside their own.
#[must_use]
pub fn compiled_with(programs: &[&str], release: u32, libraries: &[PathBuf]) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    compile_java(programs, release, folder.path(), libraries);
    folder
}

/// The same for a program that uses the API of the agent, and classes that are in these folders of the tests.
#[must_use]
pub fn compiled_with_api(program: &str, folders: &[&str]) -> TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let api = root.join("../agent/java/agent/src/main/java");
    let beside = folders.iter().map(|folder| root.join(folder));
    compiled_with(&[program], 11, &beside.chain([api]).collect::<Vec<_>>())
}

/// The same into a folder that may have other classes.
pub fn compile_java(programs: &[&str], release: u32, folder: &Path, libraries: &[PathBuf]) {
    compile(programs, release, folder, (libraries, &[]));
}

/// The same with the names of parameters.
pub fn compile_java_with_parameters(programs: &[&str], release: u32, folder: &Path) {
    compile(programs, release, folder, (&[], &["-parameters"]));
}

fn compile(
    programs: &[&str],
    release: u32,
    folder: &Path,
    (libraries, more): (&[PathBuf], &[&str]),
) {
    let mut jdks = every_jdk().into_iter();
    let jdk = jdks.find(|jdk| jdk.has("javac") && jdk.version >= release);
    let jdk = jdk.unwrap_or_else(|| panic!("no JDK {release} or later with javac"));
    let sources = programs
        .iter()
        .map(|name| program_source(&format!("{name}.java")));
    let mut javac = jdk.tool("javac");
    javac.args(more).args(["-nowarn", "-g", "-proc:none"]);
    javac.arg("--release").arg(release.to_string()).arg("-cp");
    javac.arg(std::env::join_paths(libraries).expect("a class path"));
    printed_by(javac.arg("-d").arg(folder).args(sources));
}
