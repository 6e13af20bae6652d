//! One run of a program under the agent.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ducktrack_tests::{Jdk, TracedRun, compile_java};
use tempfile::TempDir;

/// The compiled programs, if there is a compiler.
pub(crate) fn programs() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    let compile = || {
        let folder = tempfile::tempdir().expect("temporary folder");
        let compiled =
            compile_java(&["TraceEvents", "ShortThreads"], 17, folder.path()).expect("javac");
        compiled.then_some(folder)
    };
    FOLDER.get_or_init(compile).as_ref().map(TempDir::path)
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
        let run = TracedRun::new(jdk, &vm.join(" ")).expect("folder");
        let programs = programs().expect("asked before");
        let mut command = run.command(options, &[programs]).expect("java");
        let output = run
            .finish(command.args(vm).arg(program).args(words))
            .expect("the program");
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
