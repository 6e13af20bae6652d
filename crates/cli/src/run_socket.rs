//! The socket of a run, found by the process or by the directory.
//!
//! The agent keeps its directory open while it takes commands, so `/proc/PID/fd` leads there: also into a container, and whatever the length of
//! the path.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// The name of the socket in the directory of the recording.
const SOCKET: &str = "control";
/// The agent may be busy with a snapshot, or takes the probes out of all classes.
const LONGEST_ANSWER: Duration = Duration::from_secs(300);

/// Where a command goes.
pub(crate) enum Target {
    Process(u32),
    Directory(String),
}

/// A connection to the agent.
#[derive(Debug)]
pub(crate) struct RunSocket(UnixStream);

/// Why there is none.
#[derive(Debug)]
pub(crate) enum NoSocket {
    /// The process takes no commands through a socket.
    None,
    /// Anything else, in one line.
    Refused(String),
}

impl fmt::Display for NoSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("the process takes no commands: it has no agent, its recording has ended, or it was started with control=off"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NoSocket {}

impl RunSocket {
    pub(crate) fn open(target: &Target) -> Result<Self, NoSocket> {
        match target {
            Target::Process(pid) => Self::of_process(*pid),
            Target::Directory(directory) => Self::of_directory(Path::new(directory)),
        }
    }

    fn of_process(pid: u32) -> Result<Self, NoSocket> {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).map_err(|error| {
            NoSocket::Refused(match error.kind() {
                ErrorKind::NotFound => format!("no process {pid}; `jps` or `pgrep java` lists them"),
                ErrorKind::PermissionDenied => format!(
                    "process {pid} belongs to another user; run this command as that user or as root"
                ),
                _ => format!("process {pid} cannot be looked at: {error}"),
            })
        })?;
        let mut sockets = entries.flatten().map(|entry| entry.path().join(SOCKET));
        match sockets.find(|path| is_socket(path)) {
            Some(path) => Self::connect(&path, &format!("process {pid}")),
            None => Err(NoSocket::None),
        }
    }

    fn of_directory(directory: &Path) -> Result<Self, NoSocket> {
        let name = directory.display().to_string();
        let opened = File::open(directory).map_err(|error| {
            NoSocket::Refused(format!(
                "{name}: {error}; give a process id or the directory of a recording"
            ))
        })?;
        // Through the descriptor: the path of a socket must be short.
        let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", opened.as_raw_fd()));
        if !is_socket(&path) {
            return Err(NoSocket::Refused(format!(
                "{name}: no program writes this recording and takes commands (it has ended, or was started with control=off)"
            )));
        }
        Self::connect(&path, &name)
    }

    fn connect(path: &Path, name: &str) -> Result<Self, NoSocket> {
        UnixStream::connect(path).map(Self).map_err(|error| {
            NoSocket::Refused(match error.kind() {
                ErrorKind::PermissionDenied => {
                    format!("{name}: the program belongs to another user; run this command as that user or as root")
                }
                ErrorKind::ConnectionRefused => format!("{name}: the program has ended"),
                _ => format!("{name}: {error}"),
            })
        })
    }

    /// One request, one answer.
    pub(crate) fn ask(mut self, request: &Value) -> Result<Value> {
        self.0.set_read_timeout(Some(LONGEST_ANSWER))?;
        // Not as a cause: a pipe that is broken here is no reader of ours that has had enough.
        self.0
            .write_all(format!("{request}\n").as_bytes())
            .map_err(|error| anyhow!("the agent does not take the command: {error}"))?;
        let mut line = String::new();
        BufReader::new(self.0)
            .read_line(&mut line)
            .context("the agent does not answer")?;
        if line.is_empty() {
            bail!("the program has ended before the agent answered");
        }
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("the agent's answer cannot be understood: {}", line.trim()))?;
        if answer["ok"] != true {
            bail!(
                "the agent refuses: {}",
                answer["error"].as_str().unwrap_or("no reason given")
            );
        }
        Ok(answer)
    }
}

fn is_socket(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.file_type().is_socket())
}
