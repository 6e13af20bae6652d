//! Memory that outlives the process: a file in the output directory, mapped shared.
//!
//! ```text
//! create     a new file (0600), on a suitable file system
//! reserve    room at the end of the file, allocated by the kernel (fallocate) before it is used
//! map        that room as memory: a store is in the file at once, and survives a kill of the process
//! remove     delete the file when its contents have been written elsewhere; mapped memory stays usable
//! ```
//!
//! A store to a mapped page for which the disk has no room raises SIGBUS in the program's JVM. So every page is allocated before it is
//! mapped, and only file systems are used on which an allocated page can always be written, also repeatedly. Everything else is a
//! [`Refusal`]: the caller uses private memory and logs the reason.
//!
//! The kernel writes dirty pages to disk on its own schedule (30 s by default), and nothing here waits for that. The pages belong to the
//! kernel and outlive the process, but not a power failure.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use ducktrack_hotspot::{Address, note_mapped, note_unmapped, page_size};

/// File systems that write an allocated page in place, any number of times. Others move a page when it is written again (btrfs, ZFS), or
/// depend on a server or a process (NFS, SMB, FUSE, 9p); with these, a full disk or a lost connection shows only at the store.
const PROMISING: [(u32, &str); 3] = [
    (0xEF53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x0102_1994, "tmpfs"),
];
const OVERLAY: u32 = 0x794C_7630;

/// A file of whole pages that is being built.
#[derive(Debug)]
pub(crate) struct MappedFile {
    path: PathBuf,
    file: File,
    /// Bytes allocated so far: the length of the file.
    reserved: u64,
    /// Maximum length in bytes.
    most: u64,
}

/// Allocated room in the file, in whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    /// Offset in the file in bytes.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: usize,
}

/// Why memory has to be private.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    /// A full disk could kill the program.
    #[error("the file system of {} (type {kind:#x}) does not guarantee that allocated room can be written", path.display())]
    FileSystem { path: PathBuf, kind: u32 },
    /// The file has reached its maximum length.
    #[error("{} has reached its maximum of {most} bytes", path.display())]
    Bound { path: PathBuf, most: u64 },
    /// Each block takes mappings, and their number per process is limited.
    #[error("{} has reached its maximum of {most} blocks", path.display())]
    Blocks { path: PathBuf, most: usize },
    /// The kernel refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    System {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

#[cfg(test)]
impl Refusal {
    /// Whether the disk, or the user's quota, is full.
    pub(crate) fn is_disk_full(&self) -> bool {
        matches!(self, Self::System { source, .. }
            if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
    }
}

impl MappedFile {
    /// Creates the file, which must not exist. Its maximum length is `most` bytes.
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

    /// Allocates at least `length` bytes at the end of the file. They read as zeros.
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

    /// Whether less than a quarter of its maximum is left.
    pub(crate) fn is_nearly_full(&self) -> bool {
        self.reserved > self.most - self.most / 4
    }

    /// The refusal if the file would exceed its maximum length.
    pub(crate) fn bound(&self) -> Refusal {
        Refusal::Bound {
            path: self.path.clone(),
            most: self.most,
        }
    }

    /// Writes to the beginning of allocated room that is not mapped.
    pub(crate) fn write(&self, range: FileRange, bytes: &[u8]) -> Result<(), Refusal> {
        let length = bytes.len().min(range.length);
        self.file
            .write_all_at(bytes.get(..length).unwrap_or_default(), range.offset)
            .map_err(|source| refused("write to", &self.path, source))
    }

    /// The refusal if the file would have too many parts.
    pub(crate) fn too_many_blocks(&self, most: usize) -> Refusal {
        Refusal::Blocks {
            path: self.path.clone(),
            most,
        }
    }

    /// Maps allocated room at an address chosen by the kernel.
    pub(crate) fn map(&self, range: FileRange) -> Result<NonNull<u8>, Refusal> {
        // SAFETY: without MAP_FIXED, the kernel chooses unused addresses.
        unsafe { self.map_with(range, std::ptr::null_mut(), 0) }
    }

    /// Maps allocated room over other memory.
    ///
    /// # Safety
    /// `start` must be a page boundary of memory that the caller owns and that is at least as long as the range. Its contents are lost.
    pub(crate) unsafe fn map_over(
        &self,
        range: FileRange,
        start: NonNull<u8>,
    ) -> Result<(), Refusal> {
        // SAFETY: the caller owns the memory that is replaced.
        unsafe { self.map_with(range, start.as_ptr(), libc::MAP_FIXED) }.map(|_| ())
    }

    /// Gives mapped memory back.
    ///
    /// # Safety
    /// It was mapped by [`MappedFile::map`] with this length, and nothing refers to it.
    pub(crate) unsafe fn unmap(start: usize, length: usize) {
        note_unmapped(Address(start), length);
        let start = std::ptr::with_exposed_provenance_mut::<libc::c_void>(start);
        // SAFETY: as the caller promises. If the call fails, the memory stays mapped.
        unsafe { libc::munmap(start, length) };
    }

    /// The parts of the file that were ever written, ascending. Allocated but
    /// unwritten parts are not included. `None` if the kernel cannot tell.
    pub(crate) fn data_runs(&self) -> Option<Vec<Range<u64>>> {
        let seek = |from: u64, to| {
            let from = libc::off_t::try_from(from).ok()?;
            // SAFETY: the descriptor is open. Its position is unused, since all reads and writes are at offsets.
            let found = unsafe { libc::lseek(self.file.as_raw_fd(), from, to) };
            Some(u64::try_from(found).map_err(|_| io::Error::last_os_error()))
        };
        let mut runs = Vec::new();
        let mut end = 0;
        while end < self.reserved {
            let start = match seek(end, libc::SEEK_DATA)? {
                Ok(start) => start,
                // No further data.
                Err(error) if error.raw_os_error() == Some(libc::ENXIO) => break,
                Err(_) => return None,
            };
            end = seek(start, libc::SEEK_HOLE)?.ok()?;
            runs.push(start..end);
        }
        Some(runs)
    }

    /// Deletes the file. Mapped memory stays.
    pub(crate) fn remove(&self) {
        // If the file is gone already, that is fine. If it cannot be deleted, its reader sees that the run has ended.
        let _ = std::fs::remove_file(&self.path);
    }

    /// # Safety
    /// With `MAP_FIXED`, as for [`MappedFile::map_over`].
    unsafe fn map_with(
        &self,
        range: FileRange,
        start: *mut u8,
        flags: libc::c_int,
    ) -> Result<NonNull<u8>, Refusal> {
        let map = |offset| {
            // SAFETY: the caller vouches for memory that is replaced; the file is longer than the end of the range, which was allocated.
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
            // A counter is loaded before it is stored, and without this a load from an absent page would read 128 KB around it into memory.
            // SAFETY: the range was mapped above. If the advice is refused, only memory is wasted.
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

    /// Allocates blocks on the disk. On a slow disk a signal can interrupt the call, which is then repeated.
    fn allocate(&self, range: FileRange) -> io::Result<()> {
        let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let offset = libc::off_t::try_from(range.offset).map_err(too_large)?;
        let length = libc::off_t::try_from(range.length).map_err(too_large)?;
        loop {
            // SAFETY: fallocate affects the file only. (posix_fallocate would write zeros if the file system cannot allocate.)
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
        // SAFETY: `statfs` consists of plain numbers, so all zeros is valid.
        let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, and `facts` is writable.
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
        match keeps_allocations(kind, &facts) {
            true => Ok(()),
            false => Err(Refusal::FileSystem {
                path: self.path.clone(),
                kind,
            }),
        }
    }
}

/// Whether allocated room can always be written on a file system of this kind.
fn keeps_allocations(kind: u32, facts: &libc::statfs) -> bool {
    match kind {
        // A container's root file system hides the one below it; only the figures reveal that one: btrfs reports no inodes, bcachefs no
        // limit of free inodes, ZFS larger blocks.
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

    /// A directory for this test, where tests may write.
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
        // SAFETY: the word lies inside the memory just mapped, and is aligned.
        unsafe { memory.cast::<u64>().add(600).write(0x0102_0304) };
        // SAFETY: `memory` is a mapping of this test alone, two pages long.
        unsafe { mapped.map_over(first, memory) }.expect("memory");
        // SAFETY: the first page is replaced by another part of the file.
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
        // SAFETY: `statfs` consists of plain numbers, so all zeros is valid.
        let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
        facts.f_bsize = 4096;
        let (ext4, tmpfs) = (0xEF53, 0x0102_1994);
        let (btrfs, nfs, fuse) = (0x9123_683E, 0x6969, 0x6573_5546);
        let judged = [ext4, tmpfs, btrfs, nfs, fuse].map(|kind| keeps_allocations(kind, &facts));
        assert_eq!(judged, [true, true, false, false, false]);
        // A container on btrfs, and one on ext4.
        assert!(!keeps_allocations(OVERLAY, &facts));
        (facts.f_files, facts.f_ffree) = (1000, 900);
        assert!(keeps_allocations(OVERLAY, &facts));
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
        // A failed allocation must not extend the file.
        assert_eq!(mapped.reserve(1).expect("a page").offset, 0);
    }
}
