//! A folder with recordings, and a command in it. Words of the command are separated by spaces.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ducktrack_trace_format::Record;
use ducktrack_trace_writer::{TraceDirectory, WriterOptions};
use serde_json::Value;
use tempfile::TempDir;

use crate::finished::Finished;

/// The folder; deleted when this is dropped.
#[derive(Debug)]
pub struct Place {
    folder: TempDir,
    program: &'static str,
}

impl Place {
    /// An empty folder, and the program that is run in it.
    #[must_use]
    pub fn new(program: &'static str) -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            program,
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file or folder in it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a trace the way the agent does.
    pub fn trace(&self, name: &str, records: Vec<Record>) -> PathBuf {
        let directory = TraceDirectory::create(&self.path(name)).expect("a directory");
        let mut writer = directory.into_count_writer(WriterOptions::default());
        for record in records {
            match record {
                Record::Snapshot(snapshot) => writer.snapshot(&snapshot).expect("snapshot"),
                Record::End(end) => writer.finish(end).expect("end"),
                other => writer.define(&other).expect("definition"),
            }
        }
        self.path(name)
    }

    /// The command with these words.
    #[must_use]
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(words.split(' ')).current_dir(&self.folder);
        for variable in ["DUCKTRACK_LIBRARY", "JAVA_TOOL_OPTIONS"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null());
        command
    }

    /// Runs it.
    #[track_caller]
    pub fn run(&self, words: &str) -> Finished {
        Finished::of(&mut self.command(words))
    }

    /// Its standard output; it must succeed, and say nothing else.
    #[track_caller]
    pub fn text(&self, words: &str) -> String {
        let finished = Finished::well(&mut self.command(words));
        let errors = finished.errors;
        assert_eq!(errors, "", "{words}: no progress bar where nobody watches");
        finished.out
    }

    /// Its JSON; it must succeed.
    #[track_caller]
    pub fn json(&self, words: &str) -> Value {
        let text = self.text(&format!("{words} --format json"));
        serde_json::from_str(&text).expect("JSON")
    }

    /// It must refuse its input, in one line that has these parts.
    #[track_caller]
    pub fn refused(&self, words: &str, parts: &[&str]) {
        self.run(words).must_refuse(parts);
    }
}
