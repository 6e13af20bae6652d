//! Directories that only their owner can look into.
//!
//! A trace has the names of a program's classes and threads, and its command line. And a writer that accepted any existing directory could
//! be made to write where another user wants it to: in a folder like `/tmp`, every user can create a link or a directory with the expected
//! name.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

const ONLY_OURS: u32 = 0o700;
const WRITABLE_BY_ALL: u32 = 0o002;
/// An entry that belongs to the user whom the process acts for.
const OWN_PROCESS: &str = "/proc/self";

/// Creates a directory with its parents, or accepts an existing one.
///
/// # Errors
/// Also fails if the directory belongs to another user, or is a link in a folder that all users can write to.
pub(crate) fn create(directory: &Path) -> Result<()> {
    match fs::symlink_metadata(directory) {
        Ok(found) => check(directory, &found),
        Err(_) => DirBuilder::new()
            .recursive(true)
            .mode(ONLY_OURS)
            .create(directory),
    }
}

fn check(directory: &Path, found: &Metadata) -> Result<()> {
    if found.is_symlink() && is_writable_by_all(directory.parent()) {
        return refuse("it is a link in a folder that everybody can write to");
    }
    let target = fs::metadata(directory)?;
    if !target.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    match fs::metadata(OWN_PROCESS) {
        Ok(own) if own.uid() != target.uid() => refuse(&format!(
            "it belongs to another user (number {}, not {})",
            target.uid(),
            own.uid()
        )),
        _ => Ok(()),
    }
}

fn is_writable_by_all(folder: Option<&Path>) -> bool {
    let folder = folder.and_then(|folder| fs::metadata(folder).ok());
    folder.is_some_and(|folder| folder.mode() & WRITABLE_BY_ALL != 0)
}

fn refuse(why: &str) -> Result<()> {
    Err(Error::new(ErrorKind::PermissionDenied, why.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_new_directory_is_for_its_owner_alone() {
        let place = tempfile::tempdir().expect("temporary folder");
        let inner = place.path().join("outer/inner");
        create(&inner).expect("a directory");
        for directory in [place.path().join("outer"), inner.clone()] {
            let mode = fs::metadata(directory).expect("it is there").mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        create(&inner).expect("one that is there");
    }

    #[test]
    fn a_link_is_accepted_only_where_no_other_user_can_have_made_it() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (target, link) = (place.path().join("target"), place.path().join("link"));
        fs::create_dir(&target).expect("a directory");
        symlink(&target, &link).expect("a link");
        create(&link).expect("our own link");
        let all = fs::Permissions::from_mode(0o1777);
        fs::set_permissions(place.path(), all).expect("permissions");
        let refused = create(&link).expect_err("a link in a public folder");
        assert!(refused.to_string().contains("link"), "{refused}");
        create(&target).expect("a directory of ours in a public folder");
    }

    #[test]
    fn a_file_is_no_directory() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let refused = create(file.path()).expect_err("a file");
        assert_eq!(refused.kind(), ErrorKind::NotADirectory);
    }
}
