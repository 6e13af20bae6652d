//! One run of `TraceEvents` under the agent.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ducktrack_tests::{Jdk, agent_library, compile_java};
use tempfile::TempDir;

/// The compiled program, if there is a compiler.
pub(crate) fn programs() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<TempDir>> = OnceLock::new();
    let compile = || {
        let folder = tempfile::tempdir().expect("temporary folder");
        let compiled = compile_java(&["TraceEvents"], 17, folder.path()).expect("javac");
        compiled.then_some(folder)
    };
    FOLDER.get_or_init(compile).as_ref().map(TempDir::path)
}

/// What came of it.
pub(crate) struct Run {
    /// The trace directory.
    pub(crate) trace: PathBuf,
    /// What the VM said to each thread.
    pub(crate) allocated: Vec<u64>,
    /// Everything that was printed.
    pub(crate) output: String,
    _folder: TempDir,
}

impl Run {
    pub(crate) fn of(jdk: &Jdk, vm: &[&str], options: &str, words: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let trace = folder.path().join("trace");
        let library = agent_library().expect("the agent");
        let output = jdk
            .tool("java")
            .args(vm)
            .arg(format!(
                "-agentpath:{}=mode=trace,summary=off,output={},{options}",
                library.display(),
                trace.display()
            ))
            .arg("-cp")
            .arg(programs().expect("asked before"))
            .arg("TraceEvents")
            .args(words)
            .output()
            .expect("java");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "JDK {} {vm:?}: {text}",
            jdk.version
        );
        let allocated = text
            .lines()
            .filter_map(|line| line.strip_prefix("ALLOCATED "))
            .filter_map(|line| line.split_once(' ')?.1.parse().ok())
            .collect();
        Self {
            trace,
            allocated,
            output: text,
            _folder: folder,
        }
    }
}
