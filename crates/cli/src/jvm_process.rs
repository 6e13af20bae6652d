//! A running JVM as `/proc` shows it: its user, its own process id, and where its files are.
//!
//! A JVM in a container has a process id of its own there and sees files of its own. Everything that has to do with its files goes
//! through [`JvmProcess::inside`], which leads into the JVM's root directory.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Gid, Pid, Uid, geteuid};

use crate::owned_socket::{open_in_root, path_of};

/// SIGQUIT in the mask of caught signals.
const QUIT_BIT: u64 = 1 << 2;

/// A process with a JVM in it.
pub(crate) struct JvmProcess {
    /// Its process id here.
    pub(crate) pid: u32,
    /// Its process id where it runs.
    pub(crate) pid_inside: u32,
    /// Its effective user and group.
    uid: u32,
    gid: u32,
    /// A JVM that does not catch SIGQUIT yet, or never will, ends by it.
    pub(crate) catches_quit: bool,
    /// Its root directory. Opened while this process still has the permission.
    root: OwnedFd,
    /// Folders of its files that were asked for: paths lead through these descriptors.
    folders: Mutex<Vec<OwnedFd>>,
}

impl JvmProcess {
    /// Looks at a process.
    ///
    /// # Errors
    /// If there is none, if it is no JVM, or if this user may not look at it.
    pub(crate) fn find(pid: u32) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))
            .with_context(|| format!("no process {pid}; `jps` or `pgrep java` lists them"))?;
        let status = Status::parse(&status)
            .with_context(|| format!("/proc/{pid}/status cannot be understood"))?;
        let euid = geteuid();
        if !euid.is_root() && euid.as_raw() != status.uid {
            bail!(
                "process {pid} belongs to user {}; run this command as that user or as root",
                status.uid
            );
        }
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))
            .with_context(|| format!("process {pid} cannot be looked at"))?;
        if !maps.contains("/libjvm.so") {
            bail!("process {pid} is no Java program: it has not loaded libjvm.so");
        }
        let root = rustix::fs::open(
            format!("/proc/{pid}/root"),
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .with_context(|| format!("the files of process {pid} cannot be reached"))?;
        Ok(Self {
            pid,
            pid_inside: status.pid_inside,
            uid: status.uid,
            gid: status.gid,
            catches_quit: status.caught & QUIT_BIT != 0,
            root,
            folders: Mutex::default(),
        })
    }

    /// The JVM talks to its own user only: root becomes that user, for good.
    ///
    /// # Errors
    /// If the system does not let us.
    pub(crate) fn become_its_user(&self) -> Result<()> {
        if !geteuid().is_root() || self.uid == 0 {
            return Ok(());
        }
        let (gid, uid) = (Gid::from_raw(self.gid), Uid::from_raw(self.uid));
        rustix::thread::set_thread_groups(&[gid])
            .and_then(|()| rustix::thread::set_thread_res_gid(gid, gid, gid))
            .and_then(|()| rustix::thread::set_thread_res_uid(uid, uid, uid))
            .with_context(|| format!("cannot act as user {}", self.uid))
    }

    /// Where a file of the JVM is for us. `path` is absolute, as the JVM sees it. Links to its folder lead where
    /// they lead the JVM, never out of its root; whether the file itself is a link is for the caller to look at.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path_of(&self.root);
        };
        match self.folder_inside(folder) {
            Ok(folder) => {
                let here = path_of(&folder).join(name);
                self.folders
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(folder);
                here
            }
            // No file has this name.
            Err(_) => path_of(&self.root).join("..no such folder").join(name),
        }
    }

    /// A folder of the JVM.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn folder_inside(&self, folder: &Path) -> io::Result<OwnedFd> {
        let relative = folder.strip_prefix("/").unwrap_or(folder);
        match open_in_root(self.root.as_fd(), &Path::new(".").join(relative))? {
            Some(folder) => Ok(folder),
            None => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                Ok(rustix::fs::openat(
                    &self.root,
                    relative,
                    flags,
                    Mode::empty(),
                )?)
            }
        }
    }

    /// The JVM's working directory.
    pub(crate) fn working_directory(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/cwd", self.pid))
    }

    /// The JVM sees another file at this path than we do, or none.
    pub(crate) fn sees_other(&self, path: &Path) -> bool {
        let same = |ours: fs::Metadata, theirs: fs::Metadata| {
            (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())
        };
        match (fs::metadata(path), fs::metadata(self.inside(path))) {
            (Ok(ours), Ok(theirs)) => !same(ours, theirs),
            _ => true,
        }
    }

    /// The user it runs as.
    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }

    /// For signals.
    pub(crate) fn as_pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid).ok()?)
    }

    /// Whether its command line or environment has this option of the VM.
    pub(crate) fn has_option(&self, option: &str) -> bool {
        ["cmdline", "environ"].iter().any(|file| {
            fs::read(format!("/proc/{}/{file}", self.pid))
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(option))
        })
    }
}

/// The fields of `/proc/PID/status` that are used.
struct Status {
    uid: u32,
    gid: u32,
    pid_inside: u32,
    caught: u64,
}

impl Status {
    fn parse(text: &str) -> Option<Self> {
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        // Real, effective, saved, of files.
        let effective = |key| line(key)?.split_whitespace().nth(1)?.parse().ok();
        Some(Self {
            uid: effective("Uid:")?,
            gid: effective("Gid:")?,
            pid_inside: line("NSpid:")
                .or_else(|| line("Pid:"))?
                .split_whitespace()
                .next_back()?
                .parse()
                .ok()?,
            caught: u64::from_str_radix(line("SigCgt:")?.trim(), 16).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_in_a_container() {
        let text = "Name:\tjava\nPid:\t4711\nUid:\t1000\t1001\t1000\t1000\nGid:\t5\t6\t5\t5\nNSpid:\t4711\t17\t1\nSigCgt:\t2000000181005ccf\n";
        let status = Status::parse(text).expect("status");
        assert_eq!((status.uid, status.gid, status.pid_inside), (1001, 6, 1));
        assert!(status.caught & QUIT_BIT != 0);
        assert!(Status::parse("Pid:\t1\n").is_none());
    }

    #[test]
    fn a_process_that_is_no_jvm_is_refused() {
        let error = JvmProcess::find(std::process::id()).err().expect("no JVM");
        assert!(error.to_string().contains("no Java program"), "{error}");
        let error = JvmProcess::find(u32::MAX).err().expect("no process");
        assert!(error.to_string().contains("no process"), "{error}");
    }
}
