//! A program on a JVM under `mode=trace`: its command, the folder of what it leaves, and the check of the rebuilt heap.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::class_histogram::{class_differences, parse_class_histogram};
use crate::jdk::Jdk;
use crate::product::agent_library;
use crate::trace_commands::heap_behind_histogram;

/// One run; its files live as long as this.
#[derive(Debug)]
pub struct TracedRun {
    jdk: Jdk,
    folder: TempDir,
    name: String,
}

impl TracedRun {
    /// A run that has not been started; `what` sets it apart from others of this JDK in messages.
    pub fn new(jdk: &Jdk, what: &str) -> anyhow::Result<Self> {
        Ok(Self {
            jdk: jdk.clone(),
            folder: tempfile::tempdir()?,
            name: format!("Java {} {what}", jdk.version),
        })
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it runs on.
    #[must_use]
    pub fn jdk(&self) -> &Jdk {
        &self.jdk
    }

    /// Where its trace goes.
    #[must_use]
    pub fn trace(&self) -> PathBuf {
        self.file("trace")
    }

    /// Any other file of the run.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `java` with the agent; `options` are more of the agent's. What is missing: the class path's program and its words.
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

    /// Runs a command that must succeed; what it printed, errors last.
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

    /// The heap after the last full collection is that of the VM's histogram in this file, class by class; the number of its classes.
    pub fn compare_heap(&self, histogram: &Path) -> anyhow::Result<usize> {
        let histogram = std::fs::read_to_string(histogram)?;
        let expected = parse_class_histogram(&histogram);
        anyhow::ensure!(
            expected.len() > 100,
            "{}: {} classes",
            self.name,
            expected.len()
        );
        let rebuilt = heap_behind_histogram(&self.trace())?;
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
