//! The bytes of a trace file on disk: append, take back, and notice when somebody deletes the file.
//!
//! On Unix an open file can be deleted, and writes to it go on succeeding. So before each snapshot the name is
//! compared with the open file; when they differ, the file is made anew from the open one, which still has its bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::WriteError;

/// Where the blocks go. A trait so that tests can fill the disk.
pub(crate) trait Storage: Send {
    /// The name of the file, for messages.
    fn path(&self) -> &Path;
    /// Appends all bytes. After an error any prefix of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Takes everything behind `length` back.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Makes sure that the name still leads to the file with its first `length` bytes; true if it had to be made anew.
    fn keep_name(&mut self, length: u64) -> Result<bool, WriteError>;
    /// Fills `bytes` from `offset`.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
    /// Starts a second file beside this one; it takes this one's place with [`Storage::take_place_of`].
    fn successor(&self) -> Result<Box<dyn Storage>, WriteError>;
    /// Gives this file the name `path`, in one step; a file that has it goes.
    fn take_place_of(&mut self, path: &Path) -> io::Result<()>;
    /// Deletes the file (one that could not be started).
    fn discard(&mut self);
}

/// A file that appends.
#[derive(Debug)]
pub(crate) struct DiskFile {
    path: PathBuf,
    file: File,
}

impl DiskFile {
    /// Creates the file; an existing one is an error, so that no two writers share one.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .open(&path)?;
        Ok(Self { path, file })
    }

    fn has_its_name(&self) -> bool {
        match (fs::metadata(&self.path), self.file.metadata()) {
            (Ok(named), Ok(open)) => named.ino() == open.ino() && named.dev() == open.dev(),
            _ => false,
        }
    }

    fn copy_to(&self, copy: &mut File, length: u64) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        let mut at = 0;
        while at < length {
            let want =
                usize::try_from(length - at).map_or(buffer.len(), |left| left.min(buffer.len()));
            let chunk = buffer.get_mut(..want).unwrap_or_default();
            self.file.read_exact_at(chunk, at)?;
            copy.write_all(chunk)?;
            at += want as u64;
        }
        Ok(())
    }

    fn restore(&self, length: u64) -> io::Result<File> {
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut copy = Self::create(self.path.clone())?.file;
        match self.copy_to(&mut copy, length) {
            Ok(()) => Ok(copy),
            Err(error) => {
                let _ = fs::remove_file(&self.path);
                Err(error)
            }
        }
    }
}

impl Storage for DiskFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn keep_name(&mut self, length: u64) -> Result<bool, WriteError> {
        if self.has_its_name() {
            return Ok(false);
        }
        let path = self.path.clone();
        self.file = self
            .restore(length)
            .map_err(|source| WriteError::Restore { path, source })?;
        Ok(true)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }

    fn successor(&self) -> Result<Box<dyn Storage>, WriteError> {
        let path = self.path.with_extension("trace-new");
        // Left over by an earlier attempt of this very writer: nobody else writes into this directory.
        let _ = fs::remove_file(&path);
        match Self::create(path.clone()) {
            Ok(file) => Ok(Box::new(file)),
            Err(source) => Err(WriteError::CreateFile { path, source }),
        }
    }

    fn take_place_of(&mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        path.clone_into(&mut self.path);
        Ok(())
    }

    fn discard(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
