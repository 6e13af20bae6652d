//! The directory of a run, from what the user gave.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The name of the mapped counters.
const COUNTERS: &str = "counters.mapped";

/// A directory as it is; of a process, the one whose counters it has open, seen through its own root (a container's).
pub(crate) fn of_target(target: &str) -> Result<PathBuf> {
    let path = Path::new(target);
    match target.parse::<u32>() {
        Ok(pid) if !path.is_dir() => of_process(pid),
        _ if path.is_dir() => Ok(path.to_owned()),
        _ => bail!(
            "{target} is no directory; give a process id or the directory that the agent writes"
        ),
    }
}

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
    let open = entries
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok());
    let counters = open.filter(|path| path.file_name().is_some_and(|name| name == COUNTERS));
    let directories = counters.filter_map(|path| Some(in_root(pid, path.parent()?)));
    match directories.last() {
        Some(directory) => Ok(directory),
        None => bail!(
            "process {pid} has no mapped counters: it has no agent (ducktrack attach {pid}), or was started with mapped-memory=off"
        ),
    }
}

/// The path as the process sees it; as this command sees it where that is the same directory.
fn in_root(pid: u32, directory: &Path) -> PathBuf {
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let inside = root.join(directory.strip_prefix("/").unwrap_or(directory));
    if directory.join(COUNTERS).exists() || !inside.join(COUNTERS).exists() {
        return directory.to_owned();
    }
    inside
}
