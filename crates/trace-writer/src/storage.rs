//! The bytes of a trace file: append, truncate, and notice when the file is deleted.
//!
//! ```text
//! Storage --- DiskFile     each append is written at once, through the page cache
//!         \-- DirectFile   appends are gathered and written past the page cache, for files of many gigabytes
//! ```

use std::io;
use std::path::Path;
use std::time::Instant;

use crate::WriteError;
pub(crate) use direct_file::DirectFile;
pub(crate) use disk_file::DiskFile;

mod direct_file;
mod disk_file;
mod gathering;
mod room;

/// Bytes that were appended but are only in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten {
    /// When the oldest of them was appended.
    pub(crate) since: Instant,
    pub(crate) bytes: u64,
}

/// Where blocks are stored. A trait so that tests can fill the disk.
pub(crate) trait Storage: Send {
    /// Path of the file, for messages.
    fn path(&self) -> &Path;
    /// Appends all bytes. After an error any prefix of them may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Appends two slices, one after the other.
    fn append_both(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        self.append(&[first, second].concat())
    }
    /// Cuts off everything after `length`.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Makes sure that the path still leads to the file with its first `length` bytes; true if the file had to be
    /// restored.
    fn keep_name(&mut self, length: u64) -> Result<bool, WriteError>;
    /// Reads from `offset` until `bytes` is full.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
    /// Creates a second file beside this one, which replaces it with [`Storage::take_place_of`].
    fn successor(&self) -> Result<Box<dyn Storage>, WriteError>;
    /// Renames this file to `path`, replacing any file of that name in one step.
    fn take_place_of(&mut self, path: &Path) -> io::Result<()>;
    /// Appended bytes that would be lost with the process.
    fn unwritten(&self) -> Option<Unwritten> {
        None
    }
    /// Writes the [unwritten](Storage::unwritten) bytes.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Settles the file and returns reserved disk space: nothing more will be appended.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Deletes a file that could not be started.
    fn discard(&mut self);
}
