//! Connects to a socket of a given user, without following a link of anybody.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

/// For `open`: what is a link is refused.
pub(crate) const NO_LINK: i32 = OFlags::NOFOLLOW.bits().cast_signed();

/// Whose socket it may be.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    /// This user, or root.
    User(u32),
    /// The owner of the folder that it is in.
    OfFolder,
}

/// A socket that was found, and can be connected to.
pub(crate) struct OwnedSocket(OwnedFd);

impl OwnedSocket {
    /// The socket of this name in a folder. `None`: there is none.
    ///
    /// # Errors
    /// If it is a link or somebody else's, as `PermissionDenied` with the reason; what the system refuses.
    pub(crate) fn find(
        folder: BorrowedFd<'_>,
        name: &str,
        owner: Owner,
    ) -> io::Result<Option<Self>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = match openat(folder, name, flags, Mode::empty()) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            found => found?,
        };
        let facts = fstat(&found)?;
        let denied = |why: &str| {
            Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                why.to_owned(),
            ))
        };
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::Socket => {}
            FileType::Symlink => return denied("its socket is a link, which is not followed"),
            _ => return Ok(None),
        }
        let user = match owner {
            Owner::User(user) => user,
            Owner::OfFolder => fstat(folder)?.st_uid,
        };
        match facts.st_uid {
            0 => Ok(Some(Self(found))),
            uid if uid == user => Ok(Some(Self(found))),
            uid => denied(&format!(
                "its socket belongs to user {uid}, not to user {user}"
            )),
        }
    }

    /// # Errors
    /// Of the connection.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(path_of(&self.0))
    }
}

/// The path that leads to an open file whatever has happened to its name.
pub(crate) fn path_of(file: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A file below a root directory, as a process sees it that has this root: links
/// lead nowhere else. `None`: the kernel is older than 5.6 and cannot tell.
///
/// # Errors
/// If there is none.
pub(crate) fn open_in_root(root: BorrowedFd<'_>, path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, path, flags, Mode::empty(), resolve) {
        Err(Errno::NOSYS) => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_is_its_owners_and_no_link() {
        let place = tempfile::tempdir().expect("folder");
        let listener = UnixListener::bind(place.path().join("real")).expect("socket");
        symlink(place.path().join("real"), place.path().join("link")).expect("link");
        let folder = File::open(place.path()).expect("folder");
        let find = |name, owner| OwnedSocket::find(folder.as_fd(), name, owner);
        let own = find("real", Owner::OfFolder)
            .expect("looked")
            .expect("a socket");
        own.connect().expect("a connection");
        drop(listener);
        assert!(find("none", Owner::OfFolder).expect("looked").is_none());
        let error = find("link", Owner::OfFolder).err().expect("a link");
        assert!(error.to_string().contains("link"), "{error}");
        if folder.metadata().expect("facts").uid() != 0 {
            let error = find("real", Owner::User(u32::MAX))
                .err()
                .expect("another user");
            assert!(error.to_string().contains("belongs to user"), "{error}");
        }
    }

    #[test]
    fn links_stay_below_the_root() {
        let place = tempfile::tempdir().expect("folder");
        std::fs::create_dir(place.path().join("inside")).expect("folder");
        symlink("/inside", place.path().join("tmp")).expect("link");
        symlink("/etc", place.path().join("inside/out")).expect("link");
        let root = File::open(place.path()).expect("folder");
        let there = open_in_root(root.as_fd(), Path::new("tmp"));
        let Some(there) = there.expect("the folder inside") else {
            return;
        };
        let inode = |path: &Path| std::fs::metadata(path).expect("facts").ino();
        assert_eq!(inode(&path_of(&there)), inode(&place.path().join("inside")));
        assert!(open_in_root(root.as_fd(), Path::new("tmp/out")).is_err());
    }
}
