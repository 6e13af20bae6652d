//! A program on a JVM with `mode=trace`: its command, the folder with its output, and the check of the rebuilt heap.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::class_histogram::{class_differences, parse_class_histogram};
use crate::jdk::Jdk;
use crate::product::agent_library;
use crate::trace_commands::heap_after_histogram;

/// One run; its files are deleted when this is dropped.
#[derive(Debug)]
pub struct TracedRun {
    jdk: Jdk,
    folder: TempDir,
    name: String,
}

impl TracedRun {
    /// A run that has not been started; `what` distinguishes it from others on this JDK in messages.
    pub fn new(jdk: &Jdk, what: &str) -> anyhow::Result<Self> {
        Ok(Self {
            jdk: jdk.clone(),
            folder: tempfile::tempdir()?,
            name: format!("Java {} {what}", jdk.version),
        })
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
    pub fn command(&self, options: &str, class_path: &[&Path]) -> anyhow::Result<Command> {
        let mut command = self.jdk.tool("java");
        command
            .arg(format!(
                "-agentpath:{}=mode=trace,summary=off,output={},{options}",
                agent_library()?.display(),
                self.trace().display()
            ))
            .arg("-cp")
            .arg(std::env::join_paths(class_path)?);
        Ok(command)
    }

    /// Runs a command that must succeed; returns its output, standard error last.
    pub fn finish(&self, command: &mut Command) -> anyhow::Result<String> {
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(
            output.status.success(),
            "{}: {}\n{text}",
            self.name,
            output.status
        );
        Ok(text)
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
        let rebuilt = heap_after_histogram(&self.trace())?;
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
