//! The program that records how much it has done, and its trace after its end.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, ensure};
use ducktrack_tests::{Jdk, agent_argument, compiled, trace_command};
use serde_json::Value;
use tempfile::TempDir;

/// How it is ended.
pub(crate) enum Ending {
    /// By a signal with this name.
    Signal(&'static str),
}

/// Its remains.
#[derive(Debug)]
pub(crate) struct Left {
    /// Marked objects that it has made, by its own count.
    pub(crate) published: i64,
    /// Events of marked objects in the trace.
    pub(crate) events: i64,
    /// Marked objects that `ducktrack report` counts.
    pub(crate) reported: i64,
    /// Those that `ducktrack top` counts.
    pub(crate) topped: i64,
    /// Events of which the size is not known.
    pub(crate) size_unknown: i64,
    /// Names of what is wrong with the trace.
    pub(crate) damage: Vec<String>,
}

/// The running program.
pub(crate) struct KilledProgram {
    child: Child,
    folder: TempDir,
    threads: usize,
}

/// The compiled program.
fn program() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| compiled(&["KilledEvents"], 17))
        .path()
}

fn java(jdk: &Jdk, trace: &Path, options: &str, vm: &[&str]) -> Command {
    let mut command = jdk.java(program());
    command
        .arg("-Xmx64m")
        .arg("-XX:-CreateCoredumpOnCrash")
        .args(vm.iter().filter(|option| !option.is_empty()))
        .arg(agent_argument(&format!("mode=trace{options}"), trace))
        .arg("KilledEvents")
        .stderr(Stdio::null())
        .stdout(Stdio::piped());
    command
}

impl KilledProgram {
    /// Starts it and waits until its threads run.
    pub(crate) fn start(
        jdk: &Jdk,
        collector: &str,
        options: &str,
        threads: usize,
    ) -> anyhow::Result<Self> {
        Self::start_with(jdk, &[collector], options, threads)
    }

    /// The same with other options of the JVM.
    pub(crate) fn start_with(
        jdk: &Jdk,
        vm: &[&str],
        options: &str,
        threads: usize,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut command = java(jdk, &folder.path().join("trace"), options, vm);
        let mut child = command
            .current_dir(folder.path())
            .arg(folder.path().join("counts"))
            .args([threads.to_string(), "50".to_owned()])
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().context("piped")?;
        let program = Self {
            child,
            folder,
            threads,
        };
        BufReader::new(output).read_line(&mut line)?;
        ensure!(line.starts_with("READY"), "the JVM said {line:?}");
        Ok(program)
    }

    /// Where its trace is.
    pub(crate) fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    /// Ends it.
    pub(crate) fn stop(&mut self, ending: &Ending) -> anyhow::Result<()> {
        let Ending::Signal(signal) = ending;
        let status = Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(self.child.id().to_string())
            .status()?;
        ensure!(status.success(), "kill");
        let status = self.child.wait()?;
        ensure!(!status.success(), "it ended by itself");
        Ok(())
    }

    /// Ends it, and reads what it left.
    pub(crate) fn end(mut self, ending: &Ending) -> anyhow::Result<Left> {
        self.stop(ending)?;
        let trace = self.trace();
        let lifetimes = trace_command("lifetimes", &trace, &[]);
        let info = trace_command("info", &trace, &[]);
        let report = trace_command("report", &trace, &[]);
        ensure!(report["run"]["values"] == "events", "{}", report["run"]);
        let top = trace_command(
            "top",
            &trace,
            &["--once", "--interval", "0.05", "--by", "types"],
        );
        ensure!(top["state"] == "killed", "{}", top["state"]);
        Ok(Left {
            reported: marked(&report),
            topped: topped(&top),
            published: self.published()?,
            events: marked(&lifetimes),
            size_unknown: info["sizeUnknown"].as_i64().unwrap_or(0),
            damage: damage(&lifetimes),
        })
    }

    /// Marked objects that it has made by now, by its own count.
    pub(crate) fn published(&self) -> anyhow::Result<i64> {
        let bytes = std::fs::read(self.folder.path().join("counts"))?;
        let counts = bytes.chunks_exact(64).take(self.threads);
        let of_thread = |chunk: &[u8]| chunk.first_chunk().map(|word| i64::from_le_bytes(*word));
        Ok(counts.filter_map(of_thread).sum())
    }
}

impl Drop for KilledProgram {
    /// A test that failed leaves no JVM.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn marked(lifetimes: &Value) -> i64 {
    let sites = lifetimes["sites"].as_array().into_iter().flatten();
    let marked = sites.filter(|site| site["type"] == "KilledEvents$Marked");
    marked.filter_map(|site| site["count"].as_i64()).sum()
}

fn damage(report: &Value) -> Vec<String> {
    let damage = report["damage"].as_array().into_iter().flatten();
    damage
        .filter_map(|found| Some(found["name"].as_str()?.to_owned()))
        .collect()
}

/// Runs the program until the heap is full; the folder with its trace.
pub(crate) fn fill_heap(jdk: &Jdk, collector: &str, option: &str) -> anyhow::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let mut command = java(jdk, &folder.path().join("trace"), "", &[collector, option]);
    let status = command
        .current_dir(folder.path())
        .arg("fill")
        .stdout(Stdio::null())
        .status()?;
    ensure!(!status.success(), "the heap was not filled");
    Ok(folder)
}

fn topped(top: &Value) -> i64 {
    let rows = top["rows"].as_array().into_iter().flatten();
    let marked = rows.filter(|row| row["name"] == "KilledEvents$Marked");
    marked.filter_map(|row| row["objects"].as_i64()).sum()
}
