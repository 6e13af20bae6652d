//! The folder that may be read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

/// The file that makes a folder a recording.
const TRACE: &str = "ducktrack.trace";
/// Folders that are looked at for recordings, and levels below the first.
const MOST_FOLDERS: usize = 10_000;
const DEEPEST: usize = 4;
/// Recordings that are listed.
const MOST_LISTED: usize = 200;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let whole = path
            .canonicalize()
            .with_context(|| format!("{}: give a folder with recordings", path.display()))?;
        Ok(Self(whole))
    }

    /// A path below the folder, whole; links that lead out of it are refused too.
    pub(super) fn path(&self, relative: &str) -> Result<String, String> {
        let whole = self.0.join(relative).canonicalize();
        match whole {
            Ok(whole) if whole.starts_with(&self.0) => Ok(whole.display().to_string()),
            Ok(_) => Err(format!("{relative} is not below the folder that is served")),
            Err(error) => Err(format!(
                "{relative}: {error}; `recordings` lists what is there"
            )),
        }
    }

    /// One a line, newest first.
    pub(super) fn recordings(&self) -> Result<String, String> {
        let mut found = Vec::new();
        let mut seen = 0;
        self.look(&self.0, 0, &mut seen, &mut found);
        found.sort_by(|a, b| b.cmp(a));
        let lines = found.iter().take(MOST_LISTED).map(|(_, path)| {
            let relative = path.strip_prefix(&self.0).unwrap_or(path);
            match relative.as_os_str().is_empty() {
                true => ".\n".to_owned(),
                false => format!("{}\n", relative.display()),
            }
        });
        match found.is_empty() {
            true => Err("no recording below the folder".to_owned()),
            false => Ok(lines.collect()),
        }
    }

    fn look(
        &self,
        folder: &Path,
        level: usize,
        seen: &mut usize,
        found: &mut Vec<(SystemTime, PathBuf)>,
    ) {
        *seen += 1;
        if let Ok(facts) = fs::metadata(folder.join(TRACE)) {
            let written = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((written, folder.to_owned()));
            return;
        }
        if level == DEEPEST {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && *seen < MOST_FOLDERS {
                self.look(&entry.path(), level + 1, seen, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        let place = tempfile::tempdir().expect("a folder");
        let inside = place.path().join("inside");
        fs::create_dir_all(inside.join("run")).expect("a folder");
        fs::write(inside.join("run").join(TRACE), b"").expect("a file");
        std::os::unix::fs::symlink(place.path(), inside.join("link")).expect("a link");
        let folder = Folder::open(&inside).expect("a folder");
        assert!(folder.path("run").is_ok());
        for out in ["..", "run/../..", "link", "/", "/etc/passwd", "missing"] {
            assert!(folder.path(out).is_err(), "{out}");
        }
        assert_eq!(folder.recordings(), Ok("run\n".to_owned()));
    }
}
