//! The heap dump of a run: the one that is named, else the newest in the recording's folder (`dump=on` leaves one there).

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ducktrack_holders::DumpFile;

/// How names of heap dumps end.
const ENDINGS: [&str; 2] = [".hprof", ".hprof.gz"];
/// What `dump=on` leaves, and that of the first OutOfMemoryError: what filled the heap may have been dropped by the end.
const AT_END: &str = "heap.hprof";
const AT_EXHAUSTION: &str = "oom.hprof";
/// Given as the name of a dump: the trace alone.
const NONE: &str = "none";

/// Which dump a command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunDump {
    /// It was asked for: a fault in it is an error.
    Named(PathBuf),
    /// It was found: without it the trace has an answer, too.
    Found(PathBuf),
    /// There is none.
    None,
}

impl RunDump {
    /// `named` is the value of `--dump`.
    pub(crate) fn of(named: Option<&Path>, folder: &Path) -> Self {
        match named {
            Some(named) if named == Path::new(NONE) => Self::None,
            Some(named) => Self::Named(named.to_owned()),
            None => newest(folder).map_or(Self::None, Self::Found),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(path) | Self::Found(path) => Some(path),
            Self::None => None,
        }
    }

    /// The file.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn required(&self, folder: &Path) -> Result<&Path> {
        self.path().with_context(|| {
            format!(
                "{} holds no heap dump (*.hprof): name one with --dump FILE, take one with `ducktrack snapshot PID --dump`, or record with --dump",
                folder.display()
            )
        })
    }
}

/// The dump whose header has the latest time; that of the end is left out where there is one of an OutOfMemoryError.
fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let is_dump = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    let dumps = entries.flatten().map(|entry| entry.path()).filter(is_dump);
    let dated = dumps.filter_map(|path| {
        let millis = DumpFile::new(&path).and_then(|file| file.unix_millis());
        Some((millis.ok()?, path))
    });
    let mut dated: Vec<(u64, PathBuf)> = dated.collect();
    if dated.iter().any(|(_, path)| path.ends_with(AT_EXHAUSTION)) {
        dated.retain(|(_, path)| !path.ends_with(AT_END));
    }
    dated.into_iter().max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, millis: u64) -> PathBuf {
        let mut bytes = b"JAVA PROFILE 1.0.2\0\0\0\0\x08".to_vec();
        bytes.extend(millis.to_be_bytes());
        let path = folder.join(name);
        fs::write(&path, bytes).expect("a dump");
        path
    }

    #[test]
    fn the_newest_dump_of_the_folder_is_the_runs() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path();
        assert_eq!(RunDump::of(None, folder), RunDump::None);
        assert!(RunDump::None.required(folder).is_err());
        let old = write(folder, "heap.hprof", 5);
        fs::write(folder.join("cut.hprof"), "JAVA").expect("a file");
        assert_eq!(RunDump::of(None, folder), RunDump::Found(old.clone()));
        let full = write(folder, "oom.hprof", 3);
        assert_eq!(RunDump::of(None, folder), RunDump::Found(full));
        let new = write(folder, "live.hprof", 6);
        assert_eq!(RunDump::of(None, folder), RunDump::Found(new));
        let named = RunDump::of(Some(&old), folder);
        assert_eq!(named.required(folder).ok(), Some(old.as_path()));
        assert_eq!(RunDump::of(Some(Path::new("none")), folder), RunDump::None);
    }
}
