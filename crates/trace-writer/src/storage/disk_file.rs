//! A file that is written immediately, through the page cache.
//!
//! On Unix an open file can be deleted, and writes to it still succeed. So before each snapshot the path is compared
//! with the open file. If they differ, the file is restored from the open one, which still has its bytes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::Storage;
use crate::{WriteError, private_directory};

/// A trace has the names of a program's classes and threads, and its command line.
const ONLY_OURS: u32 = 0o600;

/// An open file and its path.
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
            .mode(ONLY_OURS)
            .open(&path)?;
        Ok(Self { path, file })
    }

    /// Bytes in the file.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// True when both are the same file, whatever their paths.
    pub(super) fn is_same_as(&self, other: &File) -> bool {
        are_same(self.file.metadata(), other.metadata())
    }

    pub(super) fn has_its_name(&self) -> bool {
        are_same(self.file.metadata(), fs::metadata(&self.path))
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
            private_directory::create(directory)?;
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

fn are_same(one: io::Result<Metadata>, other: io::Result<Metadata>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one.ino() == other.ino() && one.dev() == other.dev(),
        _ => false,
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
        // A leftover of an earlier attempt by this same writer: no other process writes into this directory.
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
