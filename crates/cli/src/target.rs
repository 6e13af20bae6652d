//! The recording that the user means: a folder or file, or the process that writes it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// In each folder that holds a recording.
pub(crate) const TRACE: &str = "ducktrack.trace";
/// Files of a recording that the agent keeps open.
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

/// The folder of which the process has files open, seen through its own root (a container's).
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
    let folders = open.filter_map(|path| folder_of(pid, &path));
    match folders.last() {
        Some(folder) => Ok(folder),
        None => bail!(
            "process {pid} writes no recording: it has no agent; load it with `ducktrack attach {pid}`"
        ),
    }
}

/// The folder of an open file; of an open folder, itself.
fn folder_of(pid: u32, open: &Path) -> Option<PathBuf> {
    let name = open.file_name()?;
    match OPEN_FILES.iter().any(|file| name == *file) {
        true => in_root(pid, open.parent()?),
        false => in_root(pid, open),
    }
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
        let _open = fs::File::open(place.path()).expect("the folder");
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
