//! HotSpot's attach protocol (`attachListener_linux.cpp`, the same in JDK 11 to 25).
//!
//! ```text
//! us   create .attach_pidN in the JVM's working directory or /tmp, send SIGQUIT     (N: the pid where the JVM runs)
//! JVM  starts its listener at /tmp/.java_pidN
//! us   connect, write: 1 NUL command NUL argument NUL argument NUL argument NUL
//! JVM  writes a number (0: done), a new line, text, and closes
//! ```
//!
//! A listener that was started once stays.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ducktrack_printable::printable;
use rustix::process::{Signal, kill_process, test_kill_process};

use super::TEMPORARY;
use crate::bounded_answer::{End, read_answer};
use crate::jvm_process::JvmProcess;
use crate::owned_socket::{NO_LINK, OwnedSocket, Owner};

/// How long the JVM may take to start its listener; JDK tools give it as much.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Rewriting of all loaded classes takes seconds on a busy machine.
const LONGEST_ANSWER: Duration = Duration::from_secs(300);

/// A request to the JVM.
pub(crate) enum Request<'a> {
    /// Load an agent from an absolute path.
    Load { library: &'a str, options: &'a str },
    /// Write a heap dump of the live objects into a file that does not exist, by its absolute path.
    Dump { file: &'a str },
    /// A diagnostic command, as `jcmd` sends it.
    Diagnostic(&'a str),
}

/// The answer of the JVM.
pub(crate) struct Reply {
    pub(crate) code: i32,
    /// In one line.
    pub(crate) text: String,
    /// As the JVM wrote it.
    pub(crate) whole: String,
}

/// A connection to the JVM's listener.
pub(crate) struct Listener(UnixStream);

impl Listener {
    /// Connects to the listener, which the JVM starts if need be.
    ///
    /// # Errors
    /// Why the JVM does not listen, and what to do.
    pub(crate) fn reach(jvm: &JvmProcess) -> Result<Self> {
        if let Some(stream) = connect(jvm)? {
            return Ok(Self(stream));
        }
        check_that_it_may_be_asked(jvm)?;
        let trigger = Trigger::create(jvm)?;
        let pid = jvm.as_pid().context("not a process id")?;
        kill_process(pid, Signal::QUIT)
            .with_context(|| format!("cannot send a signal to process {}", jvm.pid))?;
        let stream = wait_for(jvm);
        drop(trigger);
        stream.map(Self)
    }

    /// One request; the JVM closes the connection after its answer.
    pub(crate) fn ask(mut self, request: &Request<'_>) -> Result<Reply> {
        self.0
            .write_all(&request.bytes())
            .context("the JVM does not take the request")?;
        let answer = read_answer(&mut self.0, End::Closed, LONGEST_ANSWER)
            .context("the JVM does not answer")?;
        Reply::parse(&answer).context("the JVM closed the connection without an answer")
    }
}

impl Request<'_> {
    fn bytes(&self) -> Vec<u8> {
        let words = match *self {
            Self::Load { library, options } => ["1", "load", library, "true", options],
            Self::Dump { file } => ["1", "dumpheap", file, "-live", ""],
            Self::Diagnostic(command) => ["1", "jcmd", command, "", ""],
        };
        let mut bytes = Vec::new();
        for word in words {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        bytes
    }
}

impl Reply {
    fn parse(text: &str) -> Option<Self> {
        let (code, text) = text.split_once('\n')?;
        Some(Self {
            code: code.trim().parse().ok()?,
            text: printable(&text.trim().replace('\n', "; ")),
            whole: text.to_owned(),
        })
    }

    /// One line for the user: the answer of the JVM, and what to do.
    pub(crate) fn reason(&self, jvm: &JvmProcess) -> String {
        if self.text.contains("Dynamic agent loading is not enabled") {
            return format!(
                "process {} was started with -XX:-EnableDynamicAgentLoading; start it with -XX:+EnableDynamicAgentLoading, or under `ducktrack run`",
                jvm.pid
            );
        }
        if self.text.is_empty() {
            format!("it answers {}", self.code)
        } else {
            self.text.clone()
        }
    }
}

/// A JVM that does not expect SIGQUIT ends by it; one that has no attach mechanism prints its threads.
fn check_that_it_may_be_asked(jvm: &JvmProcess) -> Result<()> {
    let pid = jvm.pid;
    if jvm.has_option("-XX:+DisableAttachMechanism") {
        bail!(
            "process {pid} was started with -XX:+DisableAttachMechanism: no JDK can attach to it; start it under `ducktrack run`"
        );
    }
    if !jvm.catches_quit {
        bail!("process {pid} does not listen to signals yet: it is starting just now; try again");
    }
    Ok(())
}

/// The listener, which must be the JVM's user's, as `jcmd` looks, too. `None`: it does not listen.
fn connect(jvm: &JvmProcess) -> Result<Option<UnixStream>> {
    let Ok(folder) = jvm.folder_inside(Path::new(TEMPORARY)) else {
        return Ok(None);
    };
    let name = format!(".java_pid{}", jvm.pid_inside);
    let socket = OwnedSocket::find(folder.as_fd(), &name, Owner::User(jvm.uid()))
        .with_context(|| format!("{TEMPORARY}/{name} of process {}", jvm.pid))?;
    Ok(socket.and_then(|socket| socket.connect().ok()))
}

fn wait_for(jvm: &JvmProcess) -> Result<UnixStream> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(stream) = connect(jvm)? {
            return Ok(stream);
        }
        if jvm
            .as_pid()
            .is_none_or(|pid| test_kill_process(pid).is_err())
        {
            bail!("process {} has ended", jvm.pid);
        }
        sleep(LOOK_EVERY);
    }
    bail!(
        "process {} did not answer for {} seconds: it is stopped, very busy, or its /tmp cannot be written; try again",
        jvm.pid,
        PATIENCE.as_secs()
    )
}

/// The file that makes SIGQUIT a request to attach. Gone when this is dropped.
struct Trigger(PathBuf);

impl Trigger {
    fn create(jvm: &JvmProcess) -> Result<Self> {
        let name = format!(".attach_pid{}", jvm.pid_inside);
        let places = [
            jvm.working_directory().join(&name),
            jvm.inside(Path::new(TEMPORARY)).join(&name),
        ];
        for place in places {
            let made = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .custom_flags(NO_LINK)
                .open(&place);
            if made.is_err() {
                continue;
            }
            let trigger = Self(place);
            // The JVM looks whose file it is; some file systems make it somebody else's.
            if fs::metadata(&trigger.0).is_ok_and(|facts| facts.uid() == jvm.uid()) {
                return Ok(trigger);
            }
        }
        bail!(
            "cannot write into the working directory or /tmp of process {}: the JVM cannot be asked",
            jvm.pid
        )
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        // The JVM may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_three_arguments() {
        let load = Request::Load {
            library: "/x.so",
            options: "a=b c",
        };
        assert_eq!(load.bytes(), b"1\0load\0/x.so\0true\0a=b c\0");
        assert_eq!(
            Request::Diagnostic("JVMTI.data_dump").bytes(),
            b"1\0jcmd\0JVMTI.data_dump\0\0\0"
        );
    }

    #[test]
    fn answers_begin_with_a_number() {
        let reply = Reply::parse("0\nreturn code: 0\n").expect("an answer");
        assert_eq!((reply.code, reply.text.as_str()), (0, "return code: 0"));
        assert!(Reply::parse("").is_none());
    }
}
