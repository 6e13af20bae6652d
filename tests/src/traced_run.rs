//! A program on a JVM with `mode=trace`: its command, the folder with its output, and the check of the rebuilt heap.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::announcement::skipped;
use crate::class_histogram::{class_differences, parse_class_histogram};
use crate::jdk::Jdk;
use crate::product::agent_argument;
use crate::trace_commands::heap_after_histogram;
use crate::workload::SKIPPED;
use ducktrack_test_support::Finished;

/// One run; its files are deleted when this is dropped.
#[derive(Debug)]
pub struct TracedRun {
    jdk: Jdk,
    folder: TempDir,
    name: String,
}

impl TracedRun {
    /// A run that has not been started; `what` distinguishes it from others on this JDK in messages.
    #[must_use]
    pub fn new(jdk: &Jdk, what: &str) -> Self {
        Self {
            jdk: jdk.clone(),
            folder: tempfile::tempdir().expect("temporary folder"),
            name: format!("{jdk} {what}"),
        }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JDK that it runs on.
    #[must_use]
    pub fn jdk(&self) -> &Jdk {
        &self.jdk
    }

    /// The folder of its trace.
    #[must_use]
    pub fn trace(&self) -> PathBuf {
        self.file("trace")
    }

    /// Any other file of the run.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `java` with the agent and further agent `options`. The caller adds the main class and its arguments.
    #[must_use]
    pub fn command(&self, options: &str, class_path: &[&Path]) -> Command {
        let options = format!("mode=trace,{options}");
        let class_path = std::env::join_paths(class_path).expect("a class path");
        let mut command = self.jdk.java(&class_path);
        command.arg(agent_argument(&options, &self.trace()));
        command
    }

    /// Runs a command that must succeed; returns its output, standard error first.
    #[track_caller]
    pub fn finish(&self, command: &mut Command) -> String {
        let finished = Finished::of(command);
        assert!(finished.status.success(), "{}: {finished}", self.name);
        finished.text()
    }

    /// Runs a workload that must succeed; `false` where its input is not there, which is announced.
    #[track_caller]
    pub fn has_finished(&self, command: &mut Command) -> bool {
        let finished = Finished::of(command);
        let is_skipped = finished.status.code() == Some(SKIPPED);
        if is_skipped {
            skipped(&format!("{}: {}", self.name, finished.out.trim()));
        }
        assert!(
            is_skipped || finished.status.success(),
            "{}: {finished}",
            self.name
        );
        !is_skipped
    }

    /// Checks that the heap after the last full collection equals the VM's histogram in this file, class by class; returns the number
    /// of its classes.
    pub fn compare_heap(&self, histogram: &Path) -> anyhow::Result<usize> {
        let histogram = std::fs::read_to_string(histogram)?;
        let expected = parse_class_histogram(&histogram);
        anyhow::ensure!(
            expected.len() > 100,
            "{}: {} classes",
            self.name,
            expected.len()
        );
        let rebuilt = heap_after_histogram(&self.trace());
        let differences = class_differences(self.jdk.version, &expected, &rebuilt);
        anyhow::ensure!(
            differences.is_empty(),
            "{}:\n{}",
            self.name,
            differences.join("\n")
        );
        Ok(expected.len())
    }
}
