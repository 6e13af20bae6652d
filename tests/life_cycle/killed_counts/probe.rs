//! `KilledProbe` under the agent, and the report of what it left.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ducktrack_reports::{Document, SiteDoc};
use ducktrack_tests::{Jdk, agent_argument, compiled, count_report, trace_text};
use tempfile::TempDir;

/// The type of each third object.
pub(crate) const MARKED: &str = "KilledProbe$Marked";

/// The compiled programs.
pub(crate) fn programs() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let compile = || compiled(&["KilledProbe", "FullHeap"], 11);
    FOLDER.get_or_init(compile).path()
}

/// A folder with the output directory and what the program publishes.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    pub(crate) fn within(parent: &Path) -> Self {
        Self {
            folder: tempfile::tempdir_in(parent).expect("temporary folder"),
        }
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// A file beside the output directory.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn published_file(&self) -> PathBuf {
        self.folder.path().join("published")
    }

    /// The word that a thread publishes; 0 as long as there is none.
    pub(crate) fn published(&self, thread: usize) -> i64 {
        self.word(thread as u64 * 8)
    }

    /// A word of the file.
    pub(crate) fn word(&self, index: u64) -> i64 {
        let mut word = [0; 8];
        let read = File::open(self.published_file())
            .and_then(|file| file.read_exact_at(&mut word, index * 8));
        read.map_or(0, |()| i64::from_le_bytes(word))
    }

    /// A JVM with the agent that runs `KilledProbe` with these words.
    pub(crate) fn start(&self, jdk: &Jdk, agent: &str, vm: &[&str], words: &[&str]) -> Process {
        let mut command = jdk.java(programs());
        command
            .args(["-Xmx64m", "-XX:-UsePerfData", "-XX:-CreateCoredumpOnCrash"])
            .arg("-XX:ErrorFile=/dev/null")
            .args(vm)
            .arg(agent_argument(agent, &self.output()))
            .arg("KilledProbe")
            .args(words)
            .current_dir(self.folder.path());
        Process::start(&mut command)
    }

    /// Starts a count of this many threads that is published.
    pub(crate) fn start_count(&self, jdk: &Jdk, agent: &str, threads: usize) -> Process {
        let file = self.published_file().display().to_string();
        self.start(jdk, agent, &[], &["count", &file, &threads.to_string()])
    }

    pub(crate) fn report(&self) -> Document {
        count_report(&self.output(), &[])
    }

    /// Objects that a thread's `work` has made.
    pub(crate) fn made(&self, thread: &str) -> i64 {
        let report = count_report(&self.output(), &["--thread", thread]);
        report.sites.iter().map(made_by_work).sum()
    }

    /// A command's output about the directory.
    pub(crate) fn command(&self, name: &str, options: &[&str]) -> String {
        trace_text(name, &self.output(), options)
    }
}

/// Objects of a site that `work` has made, itself or by `Arrays.copyOf`.
fn made_by_work(site: &SiteDoc) -> i64 {
    let is_own = site.class == "KilledProbe" && site.method == "work";
    if is_own && matches!(site.ty.as_deref(), Some(MARKED | "int[]")) {
        return site.count;
    }
    let of_work = site.context.iter().filter(|context| {
        let caller = &context.caller;
        caller.class.as_deref() == Some("KilledProbe")
            && caller.target.as_deref() == Some("java.util.Arrays.copyOf")
    });
    of_work.map(|context| context.count).sum()
}

/// A running JVM; killed at the end of its test.
pub(crate) struct Process {
    pub(crate) child: Child,
}

impl Process {
    /// Starts what a command says; its standard error is read at its end.
    pub(crate) fn start(command: &mut Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
            command.env_remove(variable);
        }
        Self {
            child: command.spawn().expect("java"),
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.child.id().to_string())
            .status();
        assert!(status.expect("kill").success());
    }

    /// Waits until something holds, or the process has ended.
    pub(crate) fn wait_until(&mut self, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            if self.child.try_wait().expect("its state").is_some() {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "it hangs");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for its end; gives what it wrote to standard error.
    pub(crate) fn end(mut self) -> String {
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            use std::io::Read;
            let _ = errors.read_to_string(&mut text);
        }
        self.child.wait().expect("its end");
        text
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
