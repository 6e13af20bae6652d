//! Reserves disk space before it is needed, so that accepted bytes always fit.

use std::fs::File;
use std::io;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// Reserves `length` bytes from `offset` on, past the end of a file whose length stays the same. A function so that tests can fill
/// the disk.
pub(super) type Reserve = fn(file: &File, offset: u64, length: u64) -> io::Result<()>;

/// Reserves space in the file system.
pub(super) fn reserve(file: &File, offset: u64, length: u64) -> io::Result<()> {
    // The system checks this limit when a file grows, not when space is reserved.
    let most = getrlimit(Resource::Fsize).current;
    if most.is_some_and(|most| offset.saturating_add(length) > most) {
        return Err(Errno::FBIG.into());
    }
    Ok(fallocate(file, FallocateFlags::KEEP_SIZE, offset, length)?)
}
