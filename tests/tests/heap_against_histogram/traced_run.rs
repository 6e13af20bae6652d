//! A workload of the harness under `mode=trace`, with the VM's histogram of what it left.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ducktrack_tests::{Jdk, agent_library, compile_java, harness_folder};
use tempfile::TempDir;

/// A workload by name.
pub(crate) struct Workload(pub(crate) String);

/// What the run left.
pub(crate) struct TracedRun {
    folder: TempDir,
    /// The VM's histogram.
    pub(crate) histogram: String,
}

impl TracedRun {
    /// Runs it; the error is the harness's reason not to.
    pub(crate) fn of(jdk: &Jdk, options: &[&str], workload: &Workload) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let histogram = folder.path().join("histogram.txt");
        let output = jdk
            .tool("java")
            .args(["-Xms256m", "-Xmx512m"])
            .args(options)
            .arg(format!(
                "-agentpath:{}=mode=trace,summary=off,output={}",
                agent_library().expect("agent").display(),
                folder.path().join("trace").display()
            ))
            .arg("-cp")
            .arg(format!("{}:{}", programs().display(), harness().display()))
            .arg("HistogramAtExit")
            .arg(&histogram)
            .args(["ducktrack.harness.Main", &workload.0])
            .args(["--iterations", "2", "--size", "1"])
            .output()
            .expect("java");
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.code() == Some(77) {
            return Err(printed.trim().to_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{printed}\n{errors}");
        let histogram = std::fs::read_to_string(&histogram).expect("histogram");
        Ok(Self { folder, histogram })
    }

    /// Its trace.
    pub(crate) fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }
}

/// The compiled launcher; made once.
fn programs() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("temporary folder");
            let compiled = compile_java(&["HistogramAtExit"], 17, folder.path()).expect("javac");
            assert!(compiled, "no JDK with javac");
            folder
        })
        .path()
}

fn harness() -> PathBuf {
    let jar = harness_folder().join("harness.jar");
    assert!(
        jar.exists(),
        "{} is not there: run scripts/harness-build first",
        jar.display()
    );
    jar
}
