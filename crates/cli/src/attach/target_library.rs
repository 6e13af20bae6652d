//! The agent's library where the JVM sees it: at its own path, or as a copy in the JVM's `/tmp`.
//!
//! A second load must name the same path, or the VM would load a second agent. The file itself may
//! be gone by then: the dynamic linker knows the path. So the end of a recording removes the copy.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::TEMPORARY;
use crate::jvm_process::JvmProcess;

/// The library, on its way to the JVM.
pub(super) enum Library {
    /// The JVM sees it, or has loaded it already.
    Seen(PathBuf),
    /// The JVM must get a copy of these bytes.
    Bytes(Vec<u8>),
}

impl Library {
    /// Reads the library if the JVM does not see it.
    pub(super) fn read(path: &Path, jvm: &JvmProcess) -> Result<Self> {
        if let Some(loaded) = loaded(jvm) {
            return Ok(Self::Seen(loaded));
        }
        if !jvm.sees_other(path) {
            return Ok(Self::Seen(path.to_owned()));
        }
        fs::read(path)
            .map(Self::Bytes)
            .with_context(|| path.display().to_string())
    }

    /// Puts it where the JVM sees it; that path.
    pub(super) fn place(self, jvm: &JvmProcess) -> Result<PathBuf> {
        match self {
            Self::Seen(path) => Ok(path),
            Self::Bytes(bytes) => copy(&bytes, jvm),
        }
    }
}

/// The library that the JVM has loaded by now, if it has.
pub(crate) fn loaded(jvm: &JvmProcess) -> Option<PathBuf> {
    let maps = fs::read_to_string(format!("/proc/{}/maps", jvm.pid)).ok()?;
    let path = maps
        .lines()
        .filter_map(|line| line.find('/').and_then(|start| line.get(start..)))
        .find(|path| is_ours(path))?;
    Some(PathBuf::from(path.trim_end_matches(" (deleted)")))
}

fn is_ours(path: &str) -> bool {
    let name = path.trim_end_matches(" (deleted)").rsplit('/').next();
    name.is_some_and(|name| name.starts_with("libducktrack") && name.ends_with(".so"))
}

fn copy(bytes: &[u8], jvm: &JvmProcess) -> Result<PathBuf> {
    let inside = PathBuf::from(format!(
        "{TEMPORARY}/libducktrack-{:016x}.so",
        fingerprint(bytes)
    ));
    let here = jvm.inside(&inside);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o500)
        .open(&here);
    match file {
        Ok(mut file) => file.write_all(bytes).map(|()| inside).with_context(|| {
            // Half a library must not be found the next time.
            let _ = fs::remove_file(&here);
            format!("cannot copy the library to {} of the JVM", here.display())
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            check_copy(&here, bytes, jvm).map(|()| inside)
        }
        Err(error) => {
            Err(error).context("the JVM does not see the library, and cannot be given a copy")
        }
    }
}

/// Removes the copy, if the JVM has loaded one.
pub(crate) fn remove_copy(jvm: &JvmProcess) {
    let copy = loaded(jvm).filter(|path| is_copy(path));
    let Some(here) = copy.map(|path| jvm.inside(&path)) else {
        return;
    };
    let facts = fs::symlink_metadata(&here);
    if facts.is_ok_and(|facts| facts.is_file() && facts.uid() == jvm.uid()) {
        // Without it nothing is lost.
        let _ = fs::remove_file(here);
    }
}

/// Whether a library was placed there by [`copy`].
fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let digits = name
        .strip_prefix("libducktrack-")
        .and_then(|rest| rest.strip_suffix(".so"));
    path.parent() == Some(Path::new(TEMPORARY))
        && digits.is_some_and(|digits| {
            digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
}

/// A file that another user might change is not loaded into a JVM.
fn check_copy(here: &Path, bytes: &[u8], jvm: &JvmProcess) -> Result<()> {
    let facts = fs::symlink_metadata(here).with_context(|| here.display().to_string())?;
    let own = facts.is_file() && facts.uid() == jvm.uid() && facts.mode() & 0o022 == 0;
    if !own || fs::read(here).is_ok_and(|found| found != bytes) {
        bail!(
            "{} is not the copy of the library that it should be; remove it",
            here.display()
        );
    }
    Ok(())
}

/// FNV-1a of the bytes: copies of different builds have different names.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_library_by_its_name() {
        assert!(is_ours("/opt/x/libducktrack.so"));
        assert!(is_ours("/tmp/libducktrack-0123456789abcdef.so (deleted)"));
        assert!(!is_ours("/opt/libducktrack.so/libother.so"));
        assert!(is_copy(Path::new("/tmp/libducktrack-0123456789abcdef.so")));
        assert!(!is_copy(Path::new("/tmp/libducktrack.so")));
        assert!(!is_copy(Path::new("/opt/libducktrack-0123456789abcdef.so")));
        assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
