//! Memory that outlives the process: a file of the output directory, mapped shared.
//!
//! ```text
//! create     a new file (0600), on a file system that keeps its promises
//! reserve    room at the end of the file, given by the system (fallocate) before anyone touches it
//! map        that room as memory: what a thread stores there is in the file at once, and stays when the process is killed
//! remove     the file goes when what it holds has been written elsewhere; memory that is mapped stays usable
//! ```
//!
//! A store to a mapped page for which the disk has no room is a SIGBUS in the program's JVM. So every page is reserved before it is mapped, and only
//! file systems are used on which a reserved page can always be written, the second time as well as the first. Everything else is a
//! [`Refusal`]: its caller uses private memory and logs the reason.
//!
//! The kernel writes dirty pages back on its own schedule (30 s by default). Nothing here waits for that: the pages belong to the kernel, and they
//! outlive the process, but not a power cut.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use ducktrack_hotspot::{Address, note_mapped, page_size};

/// File systems that write a reserved page in place, as often as it is asked for. Others move a page when it is written again (btrfs, ZFS), or depend
/// on a server or a process (NFS, SMB, FUSE, 9p): there a full disk or a lost connection shows at the store.
const PROMISING: [(u32, &str); 3] = [
    (0xEF53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x0102_1994, "tmpfs"),
];
const OVERLAY: u32 = 0x794C_7630;

/// A file under construction, of whole pages.
#[derive(Debug)]
pub(crate) struct MappedFile {
    path: PathBuf,
    file: File,
    /// Bytes that are reserved; the length of the file.
    reserved: u64,
    /// Bytes that may be.
    most: u64,
}

/// Reserved room in the file, in whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    /// Where it begins, in bytes from the beginning of the file.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: usize,
}

/// Why memory must be private.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    /// A full disk could kill the program.
    #[error("the file system of {} (type {kind:#x}) does not promise that reserved room can be written", path.display())]
    FileSystem { path: PathBuf, kind: u32 },
    /// The file is as long as it may be.
    #[error("{} has all the bytes that it may have ({most})", path.display())]
    Bound { path: PathBuf, most: u64 },
    /// Each block takes mappings, of which a process has a limited number.
    #[error("{} has as many blocks as it may have ({most})", path.display())]
    Blocks { path: PathBuf, most: usize },
    /// The system refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    System {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

#[cfg(test)]
impl Refusal {
    /// True when the disk, or the user's share of it, is full.
    pub(crate) fn is_disk_full(&self) -> bool {
        matches!(self, Self::System { source, .. }
            if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
    }
}

impl MappedFile {
    /// Creates the file, which must not exist. It may come to have `most` bytes.
    pub(crate) fn create(path: &Path, most: u64) -> Result<Self, Refusal> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .map_err(|source| refused("create", path, source))?;
        let mapped = Self {
            path: path.to_owned(),
            file,
            reserved: 0,
            most,
        };
        if let Err(refusal) = mapped.check_file_system() {
            mapped.remove();
            return Err(refusal);
        }
        Ok(mapped)
    }

    /// Room for at least `length` bytes at the end of the file. It reads as zeros.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<FileRange, Refusal> {
        let length = length
            .checked_next_multiple_of(page_size())
            .ok_or_else(|| self.bound())?;
        let end = self.reserved.checked_add(length as u64);
        let end = end
            .filter(|end| *end <= self.most)
            .ok_or_else(|| self.bound())?;
        let range = FileRange {
            offset: self.reserved,
            length,
        };
        self.allocate(range)
            .map_err(|source| refused("reserve room in", &self.path, source))?;
        self.reserved = end;
        Ok(range)
    }

    /// The refusal where the file would become longer than it may.
    pub(crate) fn bound(&self) -> Refusal {
        Refusal::Bound {
            path: self.path.clone(),
            most: self.most,
        }
    }

    /// Writes into reserved room that is not mapped, from its beginning.
    pub(crate) fn write(&self, range: FileRange, bytes: &[u8]) -> Result<(), Refusal> {
        let length = bytes.len().min(range.length);
        self.file
            .write_all_at(bytes.get(..length).unwrap_or_default(), range.offset)
            .map_err(|source| refused("write to", &self.path, source))
    }

    /// The refusal where the file would have too many parts.
    pub(crate) fn too_many_blocks(&self, most: usize) -> Refusal {
        Refusal::Blocks {
            path: self.path.clone(),
            most,
        }
    }

    /// Maps reserved room wherever there are addresses. The memory is never unmapped.
    pub(crate) fn map(&self, range: FileRange) -> Result<NonNull<u8>, Refusal> {
        // SAFETY: without MAP_FIXED the kernel chooses addresses that nothing uses.
        unsafe { self.map_with(range, std::ptr::null_mut(), 0) }
    }

    /// Maps reserved room in the place of other memory.
    ///
    /// # Safety
    /// `start` is a page boundary of memory that the caller owns and that is at least as long as the range; what is in it is lost.
    pub(crate) unsafe fn map_over(
        &self,
        range: FileRange,
        start: NonNull<u8>,
    ) -> Result<(), Refusal> {
        // SAFETY: the caller owns what is replaced.
        unsafe { self.map_with(range, start.as_ptr(), libc::MAP_FIXED) }.map(|_| ())
    }

    /// Which parts of the file were ever written, in ascending order; what was reserved only is in none. `None`: the system does not tell.
    pub(crate) fn data_runs(&self) -> Option<Vec<Range<u64>>> {
        let seek = |from: u64, to| {
            let from = libc::off_t::try_from(from).ok()?;
            // SAFETY: the descriptor is open. Its position is used by nothing: what is read and written is so at offsets.
            let found = unsafe { libc::lseek(self.file.as_raw_fd(), from, to) };
            Some(u64::try_from(found).map_err(|_| io::Error::last_os_error()))
        };
        let mut runs = Vec::new();
        let mut end = 0;
        while end < self.reserved {
            let start = match seek(end, libc::SEEK_DATA)? {
                Ok(start) => start,
                // There is no more.
                Err(error) if error.raw_os_error() == Some(libc::ENXIO) => break,
                Err(_) => return None,
            };
            end = seek(start, libc::SEEK_HOLE)?.ok()?;
            runs.push(start..end);
        }
        Some(runs)
    }

    /// The file goes; memory that is mapped stays.
    pub(crate) fn remove(&self) {
        // A file that is gone already is what is wanted, and one that stays does no harm: its reader sees that the run ended.
        let _ = std::fs::remove_file(&self.path);
    }

    /// # Safety
    /// With `MAP_FIXED`: as [`MappedFile::map_over`].
    unsafe fn map_with(
        &self,
        range: FileRange,
        start: *mut u8,
        flags: libc::c_int,
    ) -> Result<NonNull<u8>, Refusal> {
        let map = |offset| {
            // SAFETY: the caller's, for what is replaced; the file is longer than the range's end, as it was reserved.
            let mapped = unsafe {
                libc::mmap(
                    start.cast(),
                    range.length,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED | flags,
                    self.file.as_raw_fd(),
                    offset,
                )
            };
            if mapped == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            // A counter is loaded before it is stored, and a load of an absent page would bring 128 KB around it into memory.
            // SAFETY: the range was mapped above. Where the advice is not taken, only memory is lost.
            let _ = unsafe { libc::madvise(mapped, range.length, libc::MADV_RANDOM) };
            let start = Address(mapped.expose_provenance());
            note_mapped(start, range.length);
            NonNull::new(mapped.cast()).ok_or(io::ErrorKind::AddrNotAvailable.into())
        };
        libc::off_t::try_from(range.offset)
            .map_err(|_| io::ErrorKind::FileTooLarge.into())
            .and_then(map)
            .map_err(|source| refused("map", &self.path, source))
    }

    /// Has the system set blocks aside. A signal can interrupt that on a slow disk: then it is asked again.
    fn allocate(&self, range: FileRange) -> io::Result<()> {
        let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let offset = libc::off_t::try_from(range.offset).map_err(too_large)?;
        let length = libc::off_t::try_from(range.length).map_err(too_large)?;
        loop {
            // SAFETY: fallocate touches the file only. (posix_fallocate would write zeros where the file system cannot reserve.)
            if unsafe { libc::fallocate(self.file.as_raw_fd(), 0, offset, length) } == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    fn check_file_system(&self) -> Result<(), Refusal> {
        // SAFETY: all-zero bytes are a valid statfs, which is plain numbers.
        let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open and `facts` is writable.
        if unsafe { libc::fstatfs(self.file.as_raw_fd(), &raw mut facts) } != 0 {
            let source = io::Error::last_os_error();
            return Err(refused("ask for the file system of", &self.path, source));
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "magic numbers have 32 bits; the type of the field differs between machines"
        )]
        let kind = facts.f_type as u32;
        match promises(kind, &facts) {
            true => Ok(()),
            false => Err(Refusal::FileSystem {
                path: self.path.clone(),
                kind,
            }),
        }
    }
}

/// Whether reserved room can always be written on a file system of this kind.
fn promises(kind: u32, facts: &libc::statfs) -> bool {
    match kind {
        // A container's root has another file system below, of which only the figures show: btrfs counts no inodes, bcachefs has no bound of free
        // ones, ZFS has larger blocks.
        OVERLAY => facts.f_files > 0 && facts.f_ffree <= facts.f_files && facts.f_bsize == 4096,
        kind => PROMISING.iter().any(|(promising, _)| *promising == kind),
    }
}

fn refused(action: &'static str, path: &Path, source: io::Error) -> Refusal {
    Refusal::System {
        action,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder of this test's own, where tests may write.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mapped-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn what_is_stored_is_in_the_file() {
        let folder = folder("stored");
        let path = folder.join("words");
        let mut mapped = MappedFile::create(&path, 1 << 20).expect("a file");
        let first = mapped.reserve(100).expect("room");
        let second = mapped.reserve(page_size() + 1).expect("room");
        assert_eq!((first.offset, first.length), (0, page_size()));
        assert_eq!(second.offset as usize, page_size());
        assert_eq!(second.length, 2 * page_size());
        let memory = mapped.map(second).expect("memory");
        // SAFETY: the word is inside of the memory that was just mapped, and aligned.
        unsafe { memory.cast::<u64>().add(600).write(0x0102_0304) };
        // SAFETY: `memory` is the mapping of this test alone, two pages long.
        unsafe { mapped.map_over(first, memory) }.expect("memory");
        // SAFETY: the first page is another part of the file from now on.
        unsafe { memory.cast::<u64>().add(2).write(7) };
        let file = File::open(&path).expect("the file");
        let word = |at: u64| {
            let mut word = [0; 8];
            file.read_exact_at(&mut word, at).expect("a word");
            u64::from_le_bytes(word)
        };
        assert_eq!(word(second.offset + 600 * 8), 0x0102_0304);
        assert_eq!(word(16), 7);
        let facts = file.metadata().expect("facts");
        assert_eq!(facts.len() as usize, 3 * page_size());
        assert_eq!(facts.permissions().mode() & 0o777, 0o600);
        std::fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn the_bound_and_a_file_that_is_there_are_refused() {
        let folder = folder("refused");
        let path = folder.join("words");
        let mut mapped = MappedFile::create(&path, 3 * page_size() as u64).expect("a file");
        assert!(mapped.reserve(2 * page_size()).is_ok());
        assert!(matches!(
            mapped.reserve(page_size() + 1),
            Err(Refusal::Bound { .. })
        ));
        assert!(mapped.reserve(page_size()).is_ok());
        assert!(matches!(
            mapped.reserve(usize::MAX),
            Err(Refusal::Bound { .. })
        ));
        assert!(matches!(
            MappedFile::create(&path, 1),
            Err(Refusal::System { .. })
        ));
        mapped.remove();
        assert!(!path.exists());
        std::fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn file_systems_that_promise_nothing_are_refused() {
        // SAFETY: all-zero bytes are a valid statfs, which is plain numbers.
        let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
        facts.f_bsize = 4096;
        let (ext4, tmpfs) = (0xEF53, 0x0102_1994);
        let (btrfs, nfs, fuse) = (0x9123_683E, 0x6969, 0x6573_5546);
        let judged = [ext4, tmpfs, btrfs, nfs, fuse].map(|kind| promises(kind, &facts));
        assert_eq!(judged, [true, true, false, false, false]);
        // A container on btrfs, and one on ext4.
        assert!(!promises(OVERLAY, &facts));
        (facts.f_files, facts.f_ffree) = (1000, 900);
        assert!(promises(OVERLAY, &facts));
    }

    #[test]
    fn a_full_disk_is_a_refusal_and_no_signal() {
        let Ok(mut mapped) =
            MappedFile::create(Path::new("/dev/shm/ducktrack-full-test"), u64::MAX)
        else {
            return;
        };
        mapped.remove();
        let refusal = mapped.reserve(1 << 46).expect_err("64 TB");
        assert!(refusal.is_disk_full(), "{refusal}");
        // What was not reserved was not added either.
        assert_eq!(mapped.reserve(1).expect("a page").offset, 0);
    }
}
