//! The shadow of a heap of ZGC: its address range is many times larger than the
//! heap, and without generations the program sees its memory at three places.
//!
//! ```text
//!   heap      [ view marked0 ]   [ view marked1 ]   [ view remapped ]        one memory
//!               + D │              + D │              + D │
//!   shadow    [      ▼       ]   [      ▼       ]   [       ▼       ]        one memory as well: a file without a name
//! ```
//!
//! (`src/hotspot/cpu/x86/gc/z/zGlobals_x86.cpp` of JDK 17: the bits above the offset are the colour of a
//! reference, and code uses references with the good colour as addresses.) A use is stamped through the
//! view that has the good colour, and read through the first one. With generations there is one view.
//!
//! The file is as long as the range, and has memory only where it was touched.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use crate::address::Address;
use crate::error::{Error, last_errno};
use crate::process::page_size::page_size;
use crate::process::reservation::Reservation;

/// The addresses at which the program sees a heap's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapViews {
    /// The first address of each view, ascending.
    pub starts: Vec<Address>,
    /// The length of each.
    pub bytes: usize,
}

/// The memory of shadows, which stays for the life of the process.
static MEMORY: OnceLock<File> = OnceLock::new();

impl HeapViews {
    /// The first view, and its length.
    #[must_use]
    pub fn first(&self) -> (Address, usize) {
        (self.starts.first().copied().unwrap_or_default(), self.bytes)
    }

    /// The place in the first view of an object that the program sees at this address.
    #[must_use]
    pub fn in_first(&self, object: Address) -> Address {
        // A view starts at a power of two, above all offsets.
        let start = self.first().0.0;
        Address(object.0 & start.wrapping_sub(1) | start)
    }

    /// From the start of the first view to the end of the last.
    pub(crate) fn span(&self) -> usize {
        let last = self.starts.last().copied().unwrap_or_default();
        last.above(self.first().0) + self.bytes
    }

    /// Maps the shadow at this distance, and the page of `null`.
    pub(crate) fn map(&self, distance: usize) -> Result<(), Error> {
        let memory = memory(self.bytes)?;
        let null = Reservation::at(Address(distance), page_size())?;
        let views = self.starts.iter();
        let views = views.map(|start| SharedMapping::at(start.plus(distance), self.bytes, memory));
        let views = views.collect::<Result<Vec<_>, _>>()?;
        let _ = null.keep();
        views.into_iter().for_each(std::mem::forget);
        Ok(())
    }
}

/// Bytes of such shadows that are in memory. They are not among those of [`resident_of_own_memory`](crate::resident_of_own_memory).
#[must_use]
pub fn resident_of_shadow_files() -> u64 {
    let metadata = MEMORY.get().and_then(|file| file.metadata().ok());
    metadata.map_or(0, |file| file.blocks() * 512)
}

/// A file without a name, of at least this length.
fn memory(bytes: usize) -> Result<&'static File, Error> {
    let failed = || Error::Reserve {
        length: bytes,
        errno: last_errno(),
    };
    let file = match MEMORY.get() {
        Some(file) => file,
        None => {
            let name = c"ducktrack-uses".as_ptr();
            // glibc has a function for it from 2.27 on, and the kernel from 3.17.
            // SAFETY: the name is a string that ends with a zero.
            let fd = unsafe { libc::syscall(libc::SYS_memfd_create, name, libc::MFD_CLOEXEC) };
            let fd = i32::try_from(fd)
                .ok()
                .filter(|fd| *fd >= 0)
                .ok_or_else(failed)?;
            // SAFETY: the call above has just opened the descriptor, and the file becomes its only owner.
            let file = unsafe { File::from_raw_fd(fd) };
            MEMORY.get_or_init(|| file)
        }
    };
    let length = file.metadata().map_err(|_| failed())?.len();
    if length < bytes as u64 {
        file.set_len(bytes as u64).map_err(|_| failed())?;
    }
    Ok(file)
}

/// A part of the address space that shows the file; unmapped on drop.
struct SharedMapping {
    start: Address,
    bytes: usize,
}

impl SharedMapping {
    fn at(start: Address, bytes: usize, file: &File) -> Result<Self, Error> {
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let hint = start.pointer::<u8>().cast_mut().cast();
        // SAFETY: this creates a new mapping; no flag used here replaces an existing one.
        let found = unsafe { libc::mmap(hint, bytes, access, flags, file.as_raw_fd(), 0) };
        if found == libc::MAP_FAILED {
            return Err(Error::Reserve {
                length: bytes,
                errno: last_errno(),
            });
        }
        let mapping = Self {
            start: Address(found.expose_provenance()),
            bytes,
        };
        // Kernels before 4.17 treat the address as a hint.
        if mapping.start != start {
            return Err(Error::Reserve {
                length: bytes,
                errno: libc::EEXIST,
            });
        }
        // SAFETY: the range is this mapping's. A core dump need not contain it; refused advice is harmless.
        let _ = unsafe { libc::madvise(found, bytes, libc::MADV_DONTDUMP) };
        Ok(mapping)
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        let start = self.start.pointer::<u8>().cast_mut().cast();
        // SAFETY: the range is this mapping's, and is not used after this. A failure would only leak address space.
        let _ = unsafe { libc::munmap(start, self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::heap::shadow::Shadow;

    fn store(shadow: &Shadow, object: Address, stamp: u64) {
        let word = object.plus(shadow.distance()).pointer::<u64>().cast_mut();
        // SAFETY: the shadow has a word for each word of each view.
        unsafe { AtomicU64::from_ptr(word) }.store(stamp, Ordering::Relaxed);
    }

    #[test]
    fn a_stamp_through_one_view_is_seen_through_the_first() {
        const BYTES: usize = 1 << 30;
        let starts: Vec<Address> = (42..45).map(|bit| Address(1 << bit)).collect();
        let views = HeapViews {
            starts: starts.clone(),
            bytes: BYTES,
        };
        let shadow = Shadow::map_views(&views).expect("room");
        store(&shadow, Address::NULL, 9);
        for (start, at) in starts.iter().zip([8, 4096, BYTES - 8]) {
            store(&shadow, start.plus(at), at as u64);
            assert_eq!(shadow.stamp(views.in_first(Address(at))), at as u64);
        }
        let first = starts[0].plus(4096);
        assert_eq!(shadow.stamp(starts[0].plus(BYTES)), 0);
        shadow.raise(first, 4095);
        assert_eq!(shadow.stamp(first), 4096);
        shadow.raise(first, 4097);
        assert_eq!(shadow.stamp(first), 4097);
        let pages = resident_of_shadow_files();
        assert!((3 * 4096..BYTES as u64 / 2).contains(&pages), "{pages}");
        shadow.clear();
        assert_eq!(shadow.stamp(first), 0);
    }
}
