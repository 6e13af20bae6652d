//! The control socket of a run: `control` in its directory, for the program's user and for root.
//!
//! The directory stays open while commands are accepted: `/proc/PID/fd` leads from the process to it, and the socket can be named through
//! the descriptor, however long its path is.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{refusal, requested};
use crate::options::Command;

/// The name of the socket.
const NAME: &str = "control";
/// How long a client may take to send its request or receive the answer: a thread waits for it.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST_REQUEST: u64 = 4096;

/// A listening socket.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Keeps the directory open, so that clients find it from the process.
    _directory: File,
}

impl Socket {
    /// Creates the socket in the directory.
    pub(crate) fn listen(directory: &Path) -> io::Result<Self> {
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_DIRECTORY)
            .open(directory)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd())).join(NAME);
        let listener = bind(&path)?;
        Ok(Self {
            listener,
            path: directory.join(NAME),
            _directory: opened,
        })
    }

    /// Waits for a client.
    pub(crate) fn wait(&self, at_most: Duration) -> Option<Client> {
        let mut entry = libc::pollfd {
            fd: self.listener.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let millis = libc::c_int::try_from(at_most.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: one entry, which lives through the call.
        unsafe { libc::poll(&raw mut entry, 1, millis) };
        let accepted = self.listener.accept().ok();
        accepted.map(|(stream, _)| Client(stream))
    }

    /// Wakes whoever waits for a client: none comes any more.
    pub(crate) fn hang_up(&self) {
        // SAFETY: the descriptor is open as long as `self`. A failure only makes the waiting thread notice later.
        unsafe { libc::shutdown(self.listener.as_raw_fd(), libc::SHUT_RDWR) };
    }

    /// Removes the socket's file: no further client can connect. A client that is being served still gets its answer.
    pub(crate) fn remove(&self) {
        // It may be removed already.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A socket file left in place would refuse clients.
        self.remove();
    }
}

/// A client that has connected.
pub(crate) struct Client(UnixStream);

impl Client {
    /// One request, one answer. Errors affect only this client.
    pub(crate) fn serve(self, obey: impl FnOnce(Command) -> Value) {
        let _ = converse(&self.0, obey);
    }
}

/// Binds the socket. For a moment it has the process's default permissions; the peer's user is checked in any case.
fn bind(path: &Path) -> io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn converse(stream: &UnixStream, obey: impl FnOnce(Command) -> Value) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // The request is read first, because a client that is refused while writing does not see the answer.
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST_REQUEST)).read_line(&mut line)?;
    let answer = if may_command(stream)? {
        requested(&line).map_or_else(|why| refusal(&why), obey)
    } else {
        refusal("the program belongs to another user")
    };
    let mut stream = stream;
    stream.write_all(format!("{answer}\n").as_bytes())
}

/// Whether the peer is the program's user or root.
fn may_command(stream: &UnixStream) -> io::Result<bool> {
    let mut peer = libc::ucred {
        pid: 0,
        uid: u32::MAX,
        gid: u32::MAX,
    };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes into the structure, which has that size.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut size,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `geteuid` takes no arguments and always succeeds.
    let own = unsafe { libc::geteuid() };
    Ok(peer.uid == own || peer.uid == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer that a client gets.
    fn visit(socket: &Socket, request: &str) -> String {
        let mut stream = UnixStream::connect(&socket.path).expect("connect");
        stream.write_all(request.as_bytes()).expect("write");
        let client = socket.wait(PATIENCE).expect("a client");
        client.serve(|command| serde_json::json!({"ok": true, "was": format!("{command:?}")}));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("read");
        answer
    }

    #[test]
    fn one_request_one_answer_and_nothing_stays() {
        let directory = std::env::temp_dir().join(format!("ducktrack-{}", "x".repeat(120)));
        fs::create_dir_all(&directory).expect("directory");
        let socket = Socket::listen(&directory).expect("a socket, however long its path");
        let mode = fs::metadata(&socket.path).expect("socket").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let link = std::env::temp_dir().join(format!("ducktrack-socket-{}", std::process::id()));
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&socket.path, &link).expect("a shorter path");
        let short = Socket {
            listener: socket.listener.try_clone().expect("clone"),
            path: link,
            _directory: File::open(&directory).expect("directory"),
        };
        assert!(visit(&short, "{\"command\":\"status\"}\n").contains("Status"));
        assert!(visit(&short, "nonsense\n").contains("\"ok\":false"));
        drop(socket);
        assert!(!directory.join(NAME).exists());
        let _ = fs::remove_dir_all(directory);
    }
}
