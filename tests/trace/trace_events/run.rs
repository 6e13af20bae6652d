//! One run of a program under the agent.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ducktrack_tests::{Jdk, TracedRun, compiled};
use tempfile::TempDir;

/// The compiled programs.
fn programs() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let compile = || compiled(&["TraceEvents", "ShortThreads"], 17);
    FOLDER.get_or_init(compile).path()
}

/// The result.
pub(crate) struct Run {
    /// The trace directory.
    pub(crate) trace: PathBuf,
    /// The VM's own figures of each thread.
    pub(crate) allocated: Vec<u64>,
    /// Everything that was printed.
    pub(crate) output: String,
    _run: TracedRun,
}

impl Run {
    pub(crate) fn of(jdk: &Jdk, vm: &[&str], options: &str, words: &[&str]) -> Self {
        Self::of_program("TraceEvents", jdk, vm, options, words)
    }

    pub(crate) fn of_program(
        program: &str,
        jdk: &Jdk,
        vm: &[&str],
        options: &str,
        words: &[&str],
    ) -> Self {
        let run = TracedRun::new(jdk, &vm.join(" "));
        let mut command = run.command(options, &[programs()]);
        let output = run.finish(command.args(vm).arg(program).args(words));
        let allocated = output
            .lines()
            .filter_map(|line| line.strip_prefix("ALLOCATED "))
            .filter_map(|line| line.split_once(' ')?.1.parse().ok())
            .collect();
        Self {
            trace: run.trace(),
            allocated,
            output,
            _run: run,
        }
    }
}
