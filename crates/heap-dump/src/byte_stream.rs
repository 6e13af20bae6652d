//! Reads the bytes of a dump in order: big-endian numbers, runs of bytes, and skips.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::DumpError;

const BUFFER: usize = 1 << 20;
/// Runs of up to this many bytes are always delivered whole.
pub(crate) const RUN: u64 = 1 << 19;
/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A dump on disk, plain or compressed with gzip, that can be read from the start any number of times.
#[derive(Clone, Debug)]
pub struct DumpFile {
    path: PathBuf,
    is_packed: bool,
    bytes: u64,
}

impl DumpFile {
    /// Opens the file to find out whether it is compressed.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn new(path: &Path) -> Result<Self, DumpError> {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut start = [0; 2];
        let is_packed = file.read_exact(&mut start).is_ok() && start == GZIP;
        Ok(Self {
            path: path.to_owned(),
            is_packed,
            bytes,
        })
    }

    /// Length on disk, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Starts reading at the beginning.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> Result<ByteStream, DumpError> {
        let file = File::open(&self.path)?;
        Ok(ByteStream::new(match self.is_packed {
            true => Source::Packed(Box::new(MultiGzDecoder::new(file))),
            false => Source::Plain(file),
        }))
    }
}

#[derive(Debug)]
enum Source {
    Plain(File),
    Packed(Box<MultiGzDecoder<File>>),
}

impl Source {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(into),
            Self::Packed(file) => file.read(into),
        }
    }
}

/// Reads a dump sequentially.
#[derive(Debug)]
pub struct ByteStream {
    source: Source,
    buffer: Box<[u8]>,
    from: usize,
    to: usize,
    /// Offset of `buffer[0]` in the uncompressed dump.
    base: u64,
}

impl ByteStream {
    fn new(source: Source) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            from: 0,
            to: 0,
            base: 0,
        }
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.base + self.from as u64
    }

    /// True if nothing follows.
    pub(crate) fn is_at_end(&mut self) -> Result<bool, DumpError> {
        Ok(self.from == self.to && !self.refill()?)
    }

    /// Moves the unread bytes to the front and reads more; false at the end of the file.
    fn refill(&mut self) -> Result<bool, DumpError> {
        self.buffer.copy_within(self.from..self.to, 0);
        self.base += self.from as u64;
        self.to -= self.from;
        self.from = 0;
        let free = self.buffer.get_mut(self.to..).unwrap_or_default();
        let read = match self.source.read(free) {
            // A packed file that is cut off.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => 0,
            read => read?,
        };
        self.to += read;
        Ok(read > 0)
    }

    /// The next bytes, at most as many as fit into the buffer.
    fn window(&mut self, bytes: usize) -> Result<&[u8], DumpError> {
        while self.to - self.from < bytes {
            if bytes > self.buffer.len() || !self.refill()? {
                return Err(DumpError::Cut {
                    at: self.base + self.to as u64,
                });
            }
        }
        let start = self.from;
        self.from += bytes;
        Ok(self.buffer.get(start..start + bytes).unwrap_or_default())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DumpError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.window(N)?);
        Ok(bytes)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, DumpError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(crate) fn u2(&mut self) -> Result<u16, DumpError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u4(&mut self) -> Result<u32, DumpError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn u8(&mut self) -> Result<u64, DumpError> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// Hands out the next bytes in runs.
    pub(crate) fn runs(
        &mut self,
        bytes: u64,
        mut give: impl FnMut(&[u8]),
    ) -> Result<(), DumpError> {
        let mut left = bytes;
        // Runs are multiples of 8 bytes, so that no identifier is split.
        while left > 0 {
            let run = left.min(RUN);
            give(self.window(run as usize)?);
            left -= run;
        }
        Ok(())
    }

    /// Skips bytes; in a plain file they are not read.
    pub(crate) fn skip(&mut self, bytes: u64) -> Result<(), DumpError> {
        let here = (self.to - self.from) as u64;
        if bytes <= here {
            self.from += bytes as usize;
            return Ok(());
        }
        let target = self.position().saturating_add(bytes);
        match &mut self.source {
            Source::Plain(file) => {
                let end = file.metadata()?.len();
                if target > end {
                    return Err(DumpError::Cut { at: end });
                }
                file.seek(SeekFrom::Start(target))?;
                (self.from, self.to, self.base) = (0, 0, target);
                Ok(())
            }
            Source::Packed(_) => self.runs(bytes, |_| {}),
        }
    }

    /// Skips to a later offset.
    pub(crate) fn skip_to(&mut self, position: u64) -> Result<(), DumpError> {
        self.skip(position.saturating_sub(self.position()))
    }
}
