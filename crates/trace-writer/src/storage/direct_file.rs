//! A file whose bytes go to the disk past the page cache.
//!
//! Copying a trace into the page cache costs ten times the CPU of handing it to the disk, and evicts the files that the program itself
//! works with. So appended bytes are gathered, and whole chunks are written directly. Appended bytes are as safe as written ones:
//!
//! - against a full disk: disk space is reserved before bytes are accepted;
//! - against the end of the process, after [`Storage::settle`], which callers must call in time (see [`Storage::unwritten`]).
//!
//! A slow disk does not hold the program up at once: see [`Gathering`]. If no space can be reserved or a direct write fails, the gathered
//! bytes and all later ones are written through the page cache.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::gathering::Gathering;
use super::room::{self, Reserve};
use super::{DiskFile, Storage, Unwritten};
use crate::WriteError;

/// A file written in direct chunks, as long as the file system allows it.
#[derive(Debug)]
pub(crate) struct DirectFile {
    disk: DiskFile,
    /// `None`: from here on everything is written through the page cache.
    gathering: Option<Gathering>,
    /// The file may have more disk space reserved than its length.
    has_room: bool,
}

impl DirectFile {
    /// Creates the file; an existing one is an error, so that no two writers share one.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        Self::create_with(path, room::reserve)
    }

    fn create_with(path: PathBuf, reserve: Reserve) -> io::Result<Self> {
        let disk = DiskFile::create(path)?;
        Ok(Self {
            gathering: Gathering::start(&disk, reserve),
            disk,
            has_room: false,
        })
    }

    /// Reserves disk space; if there is none, continues without gathering.
    fn make_room(&mut self, more: usize) -> io::Result<()> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        self.has_room = true;
        match gathering.make_room(more) {
            Ok(()) => Ok(()),
            Err(_) => self.write_at_once(),
        }
    }

    fn write_blocks(&mut self) -> io::Result<()> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        match gathering.write_blocks(&mut self.disk) {
            Ok(()) => Ok(()),
            Err(_) => self.write_at_once(),
        }
    }

    /// Appends bytes whose disk space is reserved.
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while let Some(gathering) = &mut self.gathering
            && !rest.is_empty()
        {
            rest = gathering.gather(rest);
            if gathering.is_full() {
                self.write_blocks()?;
            }
        }
        match rest {
            [] => Ok(()),
            rest => self.disk.append(rest),
        }
    }

    /// Writes the gathered bytes through the page cache, and all later ones too.
    fn write_at_once(&mut self) -> io::Result<()> {
        match self.gathering.take() {
            Some(mut gathering) => gathering.write_rest(&mut self.disk),
            None => Ok(()),
        }
    }
}

impl Storage for DirectFile {
    fn path(&self) -> &Path {
        self.disk.path()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.append_both(bytes, &[])
    }

    /// A block is copied once on its way to the disk, into the chunk.
    fn append_both(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        self.make_room(first.len() + second.len())?;
        self.take(first)?;
        self.take(second)
    }

    /// Callers truncate after an error, so everything from here on is written through the page cache.
    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.write_at_once()?;
        if self.disk.length()? < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.disk.truncate(length)
    }

    fn keep_name(&mut self, length: u64) -> Result<bool, WriteError> {
        if self.disk.has_its_name() {
            return Ok(false);
        }
        self.settle().map_err(|source| WriteError::Restore {
            path: self.path().to_owned(),
            source,
        })?;
        let is_new = self.disk.keep_name(length)?;
        let gathering = self.gathering.take();
        self.gathering = gathering.and_then(|old| old.moved_to(&self.disk, length));
        Ok(is_new)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let Some(gathering) = &self.gathering else {
            return self.disk.read_exact_at(bytes, offset);
        };
        let on_disk = gathering.written().saturating_sub(offset);
        let on_disk = usize::try_from(on_disk).map_or(bytes.len(), |most| most.min(bytes.len()));
        let (written, unwritten) = bytes.split_at_mut(on_disk);
        self.disk.read_exact_at(written, offset)?;
        if unwritten.is_empty() {
            return Ok(());
        }
        gathering.read_exact_at(unwritten, offset + on_disk as u64)
    }

    fn successor(&self) -> Result<Box<dyn Storage>, WriteError> {
        self.disk.successor()
    }

    fn take_place_of(&mut self, path: &Path) -> io::Result<()> {
        self.disk.take_place_of(path)
    }

    fn unwritten(&self) -> Option<Unwritten> {
        self.gathering.as_ref()?.unwritten()
    }

    fn settle(&mut self) -> io::Result<()> {
        self.write_blocks()?;
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        let result = gathering.write_rest(&mut self.disk);
        if result.is_err() {
            self.gathering = None;
        }
        result
    }

    fn finish(&mut self) -> io::Result<()> {
        self.settle()?;
        self.gathering = None;
        if std::mem::take(&mut self.has_room) {
            self.disk.truncate(self.disk.length()?)?;
        }
        Ok(())
    }

    fn discard(&mut self) {
        self.gathering = None;
        self.has_room = false;
        self.disk.discard();
    }
}

impl Drop for DirectFile {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests;
