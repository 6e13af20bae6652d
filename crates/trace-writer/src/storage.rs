//! The bytes of a trace file: append, take back, and notice when the file is deleted.
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

/// Bytes that were appended and are in memory only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten {
    /// Since when the oldest one is.
    pub(crate) since: Instant,
    pub(crate) bytes: u64,
}

/// Where the blocks go. A trait so that tests can fill the disk.
pub(crate) trait Storage: Send {
    /// The name of the file, for messages.
    fn path(&self) -> &Path;
    /// Appends all bytes. After an error any prefix of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// The same for bytes that stand apart.
    fn append_both(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        self.append(&[first, second].concat())
    }
    /// Takes everything after `length` back.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Makes sure that the name still leads to the file with its first `length` bytes; true if it had to be made anew.
    fn keep_name(&mut self, length: u64) -> Result<bool, WriteError>;
    /// Fills `bytes` from `offset`.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
    /// Starts a second file beside this one; it takes this one's place with [`Storage::take_place_of`].
    fn successor(&self) -> Result<Box<dyn Storage>, WriteError>;
    /// Gives this file the name `path`, in one step; a file that has it goes.
    fn take_place_of(&mut self, path: &Path) -> io::Result<()>;
    /// What was appended and would be lost with the process.
    fn unwritten(&self) -> Option<Unwritten> {
        None
    }
    /// Writes that, too.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Nothing more is to come: settles, and gives back what was kept for more.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Deletes the file (one that could not be started).
    fn discard(&mut self);
}
