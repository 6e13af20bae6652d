//! The socket of a run, found by the process or by the directory.
//!
//! The agent keeps its directory open while it takes commands, so `/proc/PID/fd`
//! leads there: also into a container, and whatever the length of the path.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ducktrack_printable::printable;
use rustix::fs::{Mode, OFlags};
use serde_json::Value;

use crate::bounded_answer::{End, printable_texts, read_answer};
use crate::owned_socket::{OwnedSocket, Owner};

/// The name of the socket in the directory of the recording.
pub(crate) const SOCKET: &str = "control";
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
        let name = format!("process {pid}");
        let owner = fs::metadata(format!("/proc/{pid}")).map(|facts| facts.uid());
        let owner = owner.map_err(|error| NoSocket::Refused(format!("{name}: {error}")))?;
        for entry in entries.flatten() {
            // A descriptor may be of anything: what is no folder is not opened.
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let Ok(folder) = rustix::fs::open(entry.path(), flags, Mode::empty()) else {
                continue;
            };
            let socket = OwnedSocket::find(folder.as_fd(), SOCKET, Owner::User(owner));
            let socket = socket.map_err(|error| NoSocket::Refused(format!("{name}: {error}")))?;
            if let Some(socket) = socket {
                return Self::connect(&socket, &name);
            }
        }
        Err(NoSocket::None)
    }

    fn of_directory(directory: &Path) -> Result<Self, NoSocket> {
        let name = directory.display().to_string();
        let opened = File::open(directory).map_err(|error| {
            NoSocket::Refused(format!(
                "{name}: {error}; give a process id or the directory of a recording"
            ))
        })?;
        let socket = OwnedSocket::find(opened.as_fd(), SOCKET, Owner::OfFolder);
        match socket.map_err(|error| NoSocket::Refused(format!("{name}: {error}")))? {
            Some(socket) => Self::connect(&socket, &name),
            None => Err(NoSocket::Refused(format!(
                "{name}: no program writes this recording and takes commands (it has ended, or was started with control=off)"
            ))),
        }
    }

    fn connect(socket: &OwnedSocket, name: &str) -> Result<Self, NoSocket> {
        socket.connect().map(Self).map_err(|error| {
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
        // Not as a cause: a pipe that is broken here is no reader of ours that has had enough.
        self.0
            .write_all(format!("{request}\n").as_bytes())
            .map_err(|error| anyhow!("the agent does not take the command: {error}"))?;
        let line = read_answer(&mut self.0, End::Line, LONGEST_ANSWER)
            .context("the agent does not answer")?;
        if line.is_empty() {
            bail!("the program has ended before the agent answered");
        }
        let answer: Value = serde_json::from_str(&line).with_context(|| {
            format!(
                "the agent's answer cannot be understood: {}",
                shortened(&line)
            )
        })?;
        let answer = printable_texts(answer);
        if answer["ok"] != true {
            bail!(
                "the agent refuses: {}",
                answer["error"].as_str().unwrap_or("no reason given")
            );
        }
        Ok(answer)
    }
}

/// The start of an answer that is none.
fn shortened(line: &str) -> String {
    printable(&line.trim().chars().take(200).collect::<String>())
}
