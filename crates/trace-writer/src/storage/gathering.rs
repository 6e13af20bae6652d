//! Gathers appended bytes into chunks that are written past the page cache.
//!
//! ```text
//! file    |.........whole blocks.........|..tail..|                       |
//!         0                            base    written    end            room
//! memory                                 |########|********|
//!                                        kept       waits
//! ```
//!
//! A direct write needs whole blocks, at block offsets in the file and at block boundaries in memory. A file rarely ends at a block
//! boundary: its tail is appended through the page cache, and the last block stays in memory until it is full and is written over the tail.
//! Linux keeps both paths coherent.
//!
//! A direct write lasts as long as the disk takes. After one that took [`SLOW`], the next chunks go through the page cache, which absorbs a
//! burst: the program must not wait for a disk that is briefly slow.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::room::Reserve;
use super::{DiskFile, Storage, Unwritten};

/// Block size of a direct write, enough for every common disk and file system.
const BLOCK: usize = 4 << 10;

/// Bytes gathered before they are written.
pub(super) const CHUNK: usize = 1 << 20;

/// Disk space that is reserved at a time.
const AHEAD: u64 = 4 << 20;

/// A disk that takes this long for a chunk writes 10 MB a second.
const SLOW: Duration = Duration::from_millis(100);
/// How many chunks then go through the page cache before a direct write is tried again.
const DETOUR: u32 = 32;

/// The bytes of a file that are not written yet, and those before them in their block.
#[derive(Debug)]
pub(super) struct Gathering {
    /// Open for direct writes.
    file: File,
    reserve: Reserve,
    memory: Vec<u8>,
    /// Where a block begins in `memory`.
    aligned: usize,
    /// Number of valid bytes from there on.
    gathered: usize,
    /// Their offset in the file, a multiple of the block size.
    base: u64,
    /// The file is complete up to here.
    written: u64,
    /// Disk space is reserved up to here.
    room: u64,
    /// When the oldest unwritten byte was appended.
    since: Option<Instant>,
    /// A direct write that takes this long is slow.
    slow: Duration,
    /// How many more chunks go through the page cache.
    detour: u32,
}

impl Gathering {
    /// For a new file. `None` if its file system has no direct writes.
    pub(super) fn start(disk: &DiskFile, reserve: Reserve) -> Option<Self> {
        let file = open_direct(disk)?;
        let memory = vec![0; CHUNK + BLOCK];
        let aligned = memory.as_ptr().align_offset(BLOCK);
        (aligned <= BLOCK).then_some(Self {
            file,
            reserve,
            memory,
            aligned,
            gathered: 0,
            base: 0,
            written: 0,
            room: 0,
            since: None,
            slow: SLOW,
            detour: 0,
        })
    }

    /// Continues with a file that was restored with `length` bytes. `None` if the bytes in memory do not fit it.
    pub(super) fn moved_to(self, disk: &DiskFile, length: u64) -> Option<Self> {
        let is_complete = self.written == length && self.end() == length;
        let file = open_direct(disk).filter(|_| is_complete)?;
        Some(Self {
            file,
            room: 0,
            ..self
        })
    }

    /// For tests: makes direct writes fail; `file` must be one that cannot be written.
    #[cfg(test)]
    pub(super) fn refuse(&mut self, file: File) {
        self.file = file;
    }

    /// For tests: treats direct writes as slow from this duration on.
    #[cfg(test)]
    pub(super) fn call_slow(&mut self, slow: Duration) {
        self.slow = slow;
    }

    /// File offset of the next byte.
    pub(super) fn end(&self) -> u64 {
        self.base + self.gathered as u64
    }

    /// Up to where the file is complete.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The bytes that wait, and since when.
    pub(super) fn unwritten(&self) -> Option<Unwritten> {
        let bytes = self.end() - self.written;
        self.since.map(|since| Unwritten { since, bytes })
    }

    /// Makes sure that disk space is reserved for this many more bytes.
    pub(super) fn make_room(&mut self, more: usize) -> io::Result<()> {
        let need = self.end() + more as u64;
        if need > self.room {
            let from = self.room.max(self.end());
            let length = (need - from).max(AHEAD);
            (self.reserve)(&self.file, from, length)?;
            self.room = from + length;
        }
        Ok(())
    }

    /// Copies the part that fits into the chunk and returns the rest.
    pub(super) fn gather<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let free = self.chunk_length() - self.gathered;
        let (taken, rest) = bytes.split_at(bytes.len().min(free));
        let at = self.aligned + self.gathered;
        if let Some(place) = self.memory.get_mut(at..at + taken.len()) {
            place.copy_from_slice(taken);
            self.gathered += taken.len();
            self.since.get_or_insert_with(Instant::now);
        }
        rest
    }

    /// True when the chunk must be written before more can be gathered.
    pub(super) fn is_full(&self) -> bool {
        self.gathered >= self.chunk_length()
    }

    /// Chunks end at multiples of their size in the file.
    fn chunk_length(&self) -> usize {
        CHUNK - (self.base % CHUNK as u64) as usize
    }

    /// Writes the whole blocks, directly unless the disk is slow. After an error the caller writes the rest with
    /// [`Gathering::write_rest`].
    pub(super) fn write_blocks(&mut self, disk: &mut DiskFile) -> io::Result<()> {
        let whole = self.gathered - self.gathered % BLOCK;
        if self.detour > 0 && whole > 0 {
            self.detour -= 1;
            self.write_rest(disk)?;
        } else {
            self.write_directly(whole)?;
        }
        let rest = self.aligned + whole..self.aligned + self.gathered;
        self.memory.copy_within(rest, self.aligned);
        self.base += whole as u64;
        self.gathered -= whole;
        if self.written == self.end() {
            self.since = None;
        }
        Ok(())
    }

    fn write_directly(&mut self, whole: usize) -> io::Result<()> {
        let started = Instant::now();
        let blocks = slice(&self.memory, self.aligned, whole);
        let (done, result) = write_at(&self.file, blocks, self.base);
        self.written = self.written.max(self.base + done as u64);
        if started.elapsed() >= self.slow {
            self.detour = DETOUR;
        }
        result
    }

    /// Writes the unwritten bytes through the page cache.
    pub(super) fn write_rest(&mut self, disk: &mut DiskFile) -> io::Result<()> {
        if self.written == self.end() {
            return Ok(());
        }
        if disk.length()? != self.written {
            // A failed direct write can leave the file longer than what it wrote.
            disk.truncate(self.written)?;
        }
        let known = usize::try_from(self.written - self.base).map_err(io::Error::other)?;
        let rest = slice(&self.memory, self.aligned + known, self.gathered - known);
        disk.append(rest)?;
        self.written = self.end();
        self.since = None;
        Ok(())
    }

    /// Reads from `offset` until `bytes` is full, from memory.
    pub(super) fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let at = offset.checked_sub(self.base).map(usize::try_from);
        let Some(Ok(at)) = at else {
            return Err(ErrorKind::UnexpectedEof.into());
        };
        let gathered = slice(&self.memory, self.aligned, self.gathered);
        let source = gathered.get(at..at + bytes.len());
        bytes.copy_from_slice(source.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

fn slice(memory: &[u8], at: usize, length: usize) -> &[u8] {
    memory.get(at..at + length).unwrap_or_default()
}

/// Opens the same file for direct writes; `None` if its file system refuses, or if its path leads to another file by
/// now.
fn open_direct(disk: &DiskFile) -> Option<File> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .custom_flags(OFlags::DIRECT.bits().cast_signed());
    let file = options.open(disk.path()).ok()?;
    disk.is_same_as(&file).then_some(file)
}

/// Writes all bytes, or those before the first error; returns how many.
fn write_at(file: &File, bytes: &[u8], offset: u64) -> (usize, io::Result<()>) {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match file.write_at(rest, offset + done as u64) {
            Ok(0) => return (done, Err(ErrorKind::WriteZero.into())),
            Ok(some) => done += some,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (done, Err(error)),
        }
    }
    (done, Ok(()))
}
