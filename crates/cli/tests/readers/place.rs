//! A folder with recordings, and the command in it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use ducktrack_trace_format::Record;
use ducktrack_trace_writer::{TraceDirectory, WriterOptions};
use tempfile::TempDir;

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a trace the way the agent does.
    pub(crate) fn trace(&self, name: &str, records: Vec<Record>) -> PathBuf {
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

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(super::ducktrack());
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn ducktrack(&self, arguments: &[&str]) -> Output {
        self.command(arguments)
            .output()
            .expect("the command starts")
    }
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
