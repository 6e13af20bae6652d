//! The recording that the user means: a folder or file, or the process that writes it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use rustix::fs::OFlags;

use crate::run_socket::SOCKET;

/// In each folder that holds a recording.
pub(crate) const TRACE: &str = "ducktrack.trace";
/// Files of a recording that the agent keeps open for writing.
const OPEN_FILES: [&str; 3] = [TRACE, "counters.mapped", "events.live"];

/// Parses an argument `PID|DIR` of an analysis.
pub(crate) fn recording(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    match text.parse::<u32>() {
        Ok(pid) if !path.exists() => of_process(pid).map_err(|error| error.to_string()),
        _ => Ok(path.to_owned()),
    }
}

/// The folder of a recording: as it is, or the one that a process writes.
pub(crate) fn folder(target: &str) -> Result<PathBuf> {
    let path = Path::new(target);
    match target.parse::<u32>() {
        Ok(pid) if !path.is_dir() => of_process(pid),
        _ if path.is_dir() => Ok(path.to_owned()),
        _ => bail!(
            "{target} is no directory; give a process id or the directory that the agent writes"
        ),
    }
}

/// The folder of the recording that the process writes, seen through its own root (a container's): the one that takes commands,
/// else one of which it has files open for writing. The folder of a recording that has ended, or that the process reads, is none.
fn of_process(pid: u32) -> Result<PathBuf> {
    let entries = match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("no process {pid}; `jps` or `pgrep java` lists them")
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("process {pid} belongs to another user; run this command as that user or as root")
        }
        Err(error) => bail!("process {pid} cannot be looked at: {error}"),
    };
    let open: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let takes_commands = open.iter().find_map(|place| folder_with_socket(pid, place));
    let is_written = || open.iter().find_map(|place| folder_of_written(pid, place));
    match takes_commands.or_else(is_written) {
        Some(folder) => Ok(folder),
        None => bail!(
            "process {pid} writes no recording: begin one with `ducktrack attach {pid}`; one that has ended is read by its directory"
        ),
    }
}

/// The folder that a descriptor leads to, if the agent takes commands there.
fn folder_with_socket(pid: u32, descriptor: &Path) -> Option<PathBuf> {
    let facts = fs::metadata(descriptor.join(SOCKET)).ok()?;
    let is_socket = facts.file_type().is_socket();
    in_root(pid, &fs::read_link(descriptor).ok().filter(|_| is_socket)?)
}

/// The folder of a file of a recording that a descriptor writes to.
fn folder_of_written(pid: u32, descriptor: &Path) -> Option<PathBuf> {
    let open = fs::read_link(descriptor).ok()?;
    let name = open.file_name()?;
    let is_ours = OPEN_FILES.iter().any(|file| name == *file);
    let folder = open.parent().filter(|_| is_ours && writes(pid, descriptor));
    in_root(pid, folder?)
}

/// Whether the process can write through this descriptor.
fn writes(pid: u32, descriptor: &Path) -> bool {
    let number = descriptor.file_name().unwrap_or_default().to_string_lossy();
    let facts = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
    let flags = facts.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    let modes = OFlags::WRONLY | OFlags::RDWR;
    flags.is_some_and(|flags| flags & modes.bits() != 0)
}

/// The path as this command sees it, or as the process does where that is another folder.
pub(crate) fn in_root(pid: u32, folder: &Path) -> Option<PathBuf> {
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let inside = root.join(folder.strip_prefix("/").unwrap_or(folder));
    let has_trace = |folder: &PathBuf| folder.join(TRACE).exists();
    let is_same = |folder: &PathBuf| same_folder(folder, &inside) && has_trace(folder);
    let here = folder.to_owned();
    match is_same(&here) {
        true => Some(here),
        // The root of another user's process may not be looked into.
        false => [inside.clone(), here].into_iter().find(has_trace),
    }
}

/// Whether both paths lead to one folder.
pub(crate) fn same_folder(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| {
        let facts = fs::metadata(path).ok()?;
        Some((facts.dev(), facts.ino()))
    };
    identity(one).is_some_and(|found| identity(other) == Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_means_the_recording_that_it_writes() {
        let place = tempfile::tempdir().expect("temporary folder");
        let pid = std::process::id();
        let text = pid.to_string();
        let refused = recording(&text).expect_err("no recording");
        assert!(refused.contains("ducktrack attach"), "{refused}");
        let trace = fs::File::create(place.path().join(TRACE)).expect("a trace");
        assert_eq!(recording(&text).as_deref(), Ok(place.path()));
        drop(trace);
        let _read = fs::File::open(place.path().join(TRACE)).expect("the trace");
        let _open = fs::File::open(place.path()).expect("the folder");
        assert!(folder(&text).is_err(), "it has ended");
        let path = place.path().join(SOCKET);
        let _socket = std::os::unix::net::UnixListener::bind(path).expect("a socket");
        assert_eq!(folder(&text).expect("a folder"), place.path());
    }

    #[test]
    fn other_arguments_are_paths() {
        assert_eq!(recording("run").as_deref(), Ok(Path::new("run")));
        let refused = recording("4294967295").expect_err("no process");
        assert!(refused.contains("no process 4294967295"), "{refused}");
        assert!(folder("/no/such").is_err());
    }
}
