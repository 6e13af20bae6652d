//! One run of the program under the agent.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use ducktrack_tests::Jdk;
use tempfile::TempDir;

use crate::facts::Facts;

/// The parts that every run needs.
pub(crate) struct Bench {
    pub(crate) agent: PathBuf,
    /// With the compiled program.
    pub(crate) folder: TempDir,
}

/// A VM, its options, and the program's arguments.
pub(crate) struct Run<'a> {
    pub(crate) jdk: &'a Jdk,
    pub(crate) vm_options: Vec<&'a str>,
    arguments: Vec<&'a str>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(jdk: &'a Jdk, vm_options: &[&'a str], arguments: &[&'a str]) -> Self {
        Self {
            jdk,
            vm_options: vm_options.to_vec(),
            arguments: arguments.to_vec(),
        }
    }

    pub(crate) fn name(&self) -> String {
        let options = self.vm_options.join(" ");
        let arguments = self.arguments.join(" ");
        format!("Java {} {options}, {arguments}", self.jdk.version)
    }
}

impl Bench {
    /// Runs it to its end.
    pub(crate) fn run(&self, run: &Run<'_>) -> anyhow::Result<Facts> {
        let facts = tempfile::NamedTempFile::new_in(self.folder.path())?;
        let agent = format!(
            "-agentpath:{}={}",
            self.agent.display(),
            facts.path().display()
        );
        let output = run
            .jdk
            .tool("java")
            .arg(agent)
            .args(&run.vm_options)
            .arg("-cp")
            .arg(self.folder.path())
            .arg("FullMovesProbe")
            .args(&run.arguments)
            .output()
            .context("java")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success() && printed.contains("done "),
            "{printed}\n{errors}"
        );
        // Faults in the agent's eyes.
        ensure!(!errors.contains("agent: "), "{errors}");
        Facts::read(facts.path())
    }
}
