//! Where the things are that a benchmark needs: the JDK, the agent, the harness, the rivals.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

/// All paths, found once and checked when they are used.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Home of the JDK that everything runs on.
    pub java_home: PathBuf,
    /// Its feature version.
    pub jdk: u32,
    /// `libducktrack.so`.
    pub agent: PathBuf,
    /// The command `ducktrack`.
    pub command: PathBuf,
    /// `harness.jar`.
    pub harness: PathBuf,
    /// The benchmark's own Java classes: `KnownCounts`, `Empty`.
    pub classes: PathBuf,
    /// Folder with the rivals: `libasyncProfiler.so`, `java-allocation-instrumenter.jar`, `callback.jar`.
    pub rivals: PathBuf,
    /// Where the result and every fork's files go.
    pub output: PathBuf,
}

impl Installation {
    /// Reads what `scripts/bench` has prepared and put into the environment.
    pub fn from_environment(jdk: u32, output: PathBuf) -> Result<Installation> {
        let java_home = variable(&format!("DUCKTRACK_JDK_{jdk}"))?;
        ensure!(
            java_home.join("bin/java").is_file(),
            "no bin/java in {}",
            java_home.display()
        );
        Ok(Installation {
            java_home,
            jdk,
            agent: variable("DUCKTRACK_LIBRARY")?,
            command: variable("DUCKTRACK_COMMAND")?,
            harness: variable("DUCKTRACK_HARNESS")?.join("harness.jar"),
            classes: variable("DUCKTRACK_BENCH_CLASSES")?,
            rivals: variable("DUCKTRACK_RIVALS")?,
            output: std::path::absolute(output)?,
        })
    }

    /// The `java` launcher.
    pub fn java(&self) -> PathBuf {
        self.java_home.join("bin/java")
    }

    /// A file that a tool cannot do without.
    pub(crate) fn needed(&self, path: PathBuf) -> Result<PathBuf> {
        if !path.is_file() {
            bail!(
                "{} is not there: start the benchmark by scripts/bench",
                path.display()
            );
        }
        Ok(path)
    }

    /// The folder of one fork's files.
    pub(crate) fn fork_path(&self, parts: &[&str]) -> PathBuf {
        let mut directory = self.output.join("forks");
        directory.extend(parts.iter().map(|part| file_name(part)));
        directory
    }

    /// The same, made new and empty.
    pub(crate) fn fork_directory(&self, parts: &[&str]) -> Result<PathBuf> {
        new_and_empty(self.fork_path(parts))
    }
}

/// The folder, without what was in it.
pub(crate) fn new_and_empty(directory: PathBuf) -> Result<PathBuf> {
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}

fn variable(name: &str) -> Result<PathBuf> {
    match std::env::var_os(name) {
        Some(value) if !value.is_empty() => Ok(Path::new(&value).to_path_buf()),
        _ => bail!("the variable {name} is not set: start the benchmark by scripts/bench"),
    }
}

/// A name as a part of a path: nothing that leaves the folder.
fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect()
}
