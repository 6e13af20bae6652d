//! A file in which the agent answers: the VM itself reports only success or failure.
//!
//! It is locked as long as this process waits for the answer. Where the process was killed meanwhile, the
//! agent finds no lock and removes the file; one that no agent has seen is removed by the next attach.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::TEMPORARY;
use crate::jvm_process::JvmProcess;
use crate::owned_socket::NO_LINK;

/// How the name of such a file begins.
const NAME: &str = ".ducktrack-answer-";
/// No process creates a file and locks it later than this.
const UNTIL_LOCKED: Duration = Duration::from_secs(600);

/// An empty file of the JVM's user; gone when this is dropped.
pub(super) struct AnswerFile {
    here: PathBuf,
    inside: String,
    /// Has the lock.
    file: File,
}

impl AnswerFile {
    pub(super) fn create(jvm: &JvmProcess) -> Result<Self> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let inside = format!(
            "{TEMPORARY}/{NAME}{}-{}",
            std::process::id(),
            now.as_nanos()
        );
        let here = jvm.inside(Path::new(&inside));
        remove_abandoned(&jvm.inside(Path::new(TEMPORARY)), jvm.uid());
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&here)
            .with_context(|| format!("cannot create {inside} where the JVM sees it"))?;
        let created = Self { here, inside, file };
        // Without the lock the agent would remove the file before the answer is read.
        flock(&created.file, FlockOperation::LockExclusive)
            .with_context(|| format!("cannot lock {}", created.inside))?;
        Ok(created)
    }

    /// As the JVM sees it.
    pub(super) fn path(&self) -> &str {
        &self.inside
    }

    /// The answer of the agent; `None` if it was never asked.
    pub(super) fn read(&self) -> Option<Value> {
        let text = fs::read_to_string(&self.here).ok()?;
        serde_json::from_str(&text).ok()
    }
}

impl Drop for AnswerFile {
    fn drop(&mut self) {
        // It is empty or was read: nothing is lost if it stays.
        let _ = fs::remove_file(&self.here);
    }
}

/// Removes files of this user for whose answer no process waits any more.
fn remove_abandoned(folder: &Path, user: u32) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(NAME));
    for entry in named {
        if is_abandoned(&entry.path(), user) {
            // Another process may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path, user: u32) -> bool {
    let mut options = OpenOptions::new();
    let opened = options.read(true).custom_flags(NO_LINK).open(path);
    let Ok(file) = opened else { return false };
    let is_old = |facts: fs::Metadata| {
        let age = facts.modified().ok().and_then(|time| time.elapsed().ok());
        facts.is_file() && facts.uid() == user && age.is_some_and(|age| age > UNTIL_LOCKED)
    };
    file.metadata().is_ok_and(is_old)
        && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_processes_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let user = rustix::process::geteuid().as_raw();
        let long_ago = SystemTime::now() - 2 * UNTIL_LOCKED;
        let create = |name: &str, time| {
            let path = folder.path().join(name);
            let file = File::create(&path).expect("a file");
            file.set_modified(time).expect("its time");
            (path, file)
        };
        let (abandoned, _) = create(&format!("{NAME}1-1"), long_ago);
        let (waiting, lock) = create(&format!("{NAME}1-2"), long_ago);
        flock(&lock, FlockOperation::LockExclusive).expect("a lock");
        let (new, _) = create(&format!("{NAME}1-3"), SystemTime::now());
        let (other, _) = create("else", long_ago);
        remove_abandoned(folder.path(), user.wrapping_add(1));
        assert!(abandoned.exists(), "of another user");
        remove_abandoned(folder.path(), user);
        let left = [&abandoned, &waiting, &new, &other].map(|path| path.exists());
        assert_eq!(left, [false, true, true, true]);
    }
}
