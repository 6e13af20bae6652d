//! Room on disk that is a file's own before it is needed, so that what was accepted always fits.

use std::fs::File;
use std::io;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// Reserves `length` bytes from `offset` on, past the end of a file, whose length stays. A function so that tests can fill the disk.
pub(super) type Reserve = fn(file: &File, offset: u64, length: u64) -> io::Result<()>;

/// From the file system.
pub(super) fn reserve(file: &File, offset: u64, length: u64) -> io::Result<()> {
    // The system counts this limit when a file becomes longer, not when it gets room.
    let most = getrlimit(Resource::Fsize).current;
    if most.is_some_and(|most| offset.saturating_add(length) > most) {
        return Err(Errno::FBIG.into());
    }
    Ok(fallocate(file, FallocateFlags::KEEP_SIZE, offset, length)?)
}
