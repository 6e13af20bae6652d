//! Locates what a benchmark needs: the JDK, the agent, the harness, the rivals.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

/// All paths, determined once and checked when they are used.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Home of the JDK that runs everything.
    pub java_home: PathBuf,
    /// Its feature version.
    pub jdk: u32,
    /// `libducktrack.so`.
    pub agent: PathBuf,
    /// The command `ducktrack`.
    pub command: PathBuf,
    /// `harness.jar`.
    pub harness: PathBuf,
    /// The benchmark's own Java class: `KnownCounts`.
    pub classes: PathBuf,
    /// Folder with the rivals: `libasyncProfiler.so`, `java-allocation-instrumenter.jar`, `callback.jar`.
    pub rivals: PathBuf,
    /// Folder for the result and for every fork's files.
    pub output: PathBuf,
}

impl Installation {
    /// Reads the environment that `scripts/bench` has prepared.
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

    /// Checks that a required file exists.
    pub(crate) fn needed(&self, path: PathBuf) -> Result<PathBuf> {
        if !path.is_file() {
            bail!(
                "{} does not exist: start the benchmark with scripts/bench",
                path.display()
            );
        }
        Ok(path)
    }

    /// The folder for one fork's files.
    pub(crate) fn fork_path(&self, parts: &[&str]) -> PathBuf {
        let mut directory = self.output.join("forks");
        directory.extend(parts.iter().map(|part| file_name(part)));
        directory
    }

    /// Like [`fork_path`](Self::fork_path), but creates the folder anew and empty.
    pub(crate) fn fork_directory(&self, parts: &[&str]) -> Result<PathBuf> {
        new_and_empty(self.fork_path(parts))
    }
}

/// Creates the folder anew and empty.
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

/// Makes a name safe as a path component.
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
