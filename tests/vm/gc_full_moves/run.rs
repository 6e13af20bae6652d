//! One run of the program under the agent.

use std::path::PathBuf;

use anyhow::ensure;
use ducktrack_tests::{Finished, Jdk, with_file};
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
        let agent = with_file(&self.agent, facts.path());
        let mut java = run.jdk.java(self.folder.path());
        java.arg(agent).args(&run.vm_options).arg("FullMovesProbe");
        let finished = Finished::of(java.args(&run.arguments));
        ensure!(
            finished.status.success() && finished.out.contains("done "),
            "{finished}"
        );
        let errors = finished.errors;
        // Faults in the agent's eyes.
        ensure!(!errors.contains("agent: "), "{errors}");
        Facts::read(facts.path())
    }
}
