//! The files of the kernel about a process and its group.

use std::fs;
use std::path::{Path, PathBuf};

use ducktrack_memory_bill::{Group, GroupVersion, Mapping, group_path, mappings};

/// Where the control groups of memory are, by version; the second place is that of systems with both.
const ROOTS: [(GroupVersion, &str); 3] = [
    (GroupVersion::One, "/sys/fs/cgroup/memory"),
    (GroupVersion::Two, "/sys/fs/cgroup"),
    (GroupVersion::Two, "/sys/fs/cgroup/unified"),
];

/// The group of a process: its folder, and its figures; `None`: no limit bounds it.
pub(super) fn group(pid: u32) -> Option<(PathBuf, Group)> {
    let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let (version, path) = group_path(&text)?;
    let mut roots = ROOTS.iter().filter(|(of, _)| *of == version);
    roots.find_map(|(_, root)| {
        let root = Path::new(root);
        let folder = root.join(path.trim_start_matches('/'));
        // In a container the path is that of the host, and the group itself is the root.
        let folder = Some(folder).filter(|folder| folder.is_dir());
        let folder = folder.unwrap_or_else(|| root.to_owned());
        limited(version, root, &folder)
    })
}

/// The group whose limit counts: the process's own, or one above it with less room left.
fn limited(version: GroupVersion, root: &Path, folder: &Path) -> Option<(PathBuf, Group)> {
    let room = |group: &Group| group.limit.map(|limit| limit.saturating_sub(group.charged));
    let mut tightest: Option<(PathBuf, Group)> = None;
    for folder in folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
    {
        let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let Some(group) = Group::read(version, read) else {
            continue;
        };
        let is_tighter = match &tightest {
            None => true,
            Some((_, known)) => match (room(&group), room(known)) {
                (Some(room), Some(known)) => room < known,
                (room, known) => room.is_some() && known.is_none(),
            },
        };
        if is_tighter {
            tightest = Some((folder.to_owned(), group));
        }
    }
    // Without a limit it is no container, but what else runs beside the process.
    tightest.filter(|(_, group)| group.limit.is_some())
}

/// The figures of a group now.
pub(super) fn group_now(folder: &Path) -> Option<Group> {
    let version = match folder.join("memory.usage_in_bytes").exists() {
        true => GroupVersion::One,
        false => GroupVersion::Two,
    };
    let mut group = Group::read(version, |name| fs::read_to_string(folder.join(name)).ok())?;
    group.limit = group.limit.filter(|limit| *limit > 0);
    Some(group)
}

/// The mappings of a process.
pub(super) fn mappings_of(pid: u32) -> std::io::Result<Vec<Mapping>> {
    fs::read_to_string(format!("/proc/{pid}/smaps")).map(|text| mappings(&text))
}

/// Bytes without a file that a process has in memory (`/proc/PID/smaps_rollup`, as of one mapping).
pub(super) fn anonymous_of(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    mappings(&text).first().map_or(0, |all| all.anonymous)
}

/// The processes of a group and of those below it.
pub(super) fn processes(folder: &Path) -> Vec<u32> {
    let mut all = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        all.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        todo.extend(
            entries
                .map(|entry| entry.path())
                .filter(|path| path.is_dir()),
        );
    }
    all
}

/// The system calls that the threads of a process wait in; `None` of a thread that may not be looked at.
pub(super) fn waits(pid: u32) -> Vec<Option<String>> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    tasks
        .map(|task| fs::read_to_string(task.path().join("syscall")).ok())
        .collect()
}
