//! A range of a file in memory. It grows by bytes that were read, never by a length that is only stated.

use std::io::{self, ErrorKind, Read};

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// The bytes from the current position on that were needed so far.
#[derive(Debug)]
pub(crate) struct ByteWindow<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes at the start of `buffer` before the current position.
    used: usize,
    position: u64,
    ended: bool,
}

impl<R: Read> ByteWindow<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            used: 0,
            position: 0,
            ended: false,
        }
    }

    /// Offset in the file of the first byte of the window.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Where bytes come from.
    pub(crate) fn input_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Forgets the bytes in memory: the input goes on from the position.
    pub(crate) fn forget(&mut self) {
        self.buffer.clear();
        self.used = 0;
        self.ended = false;
    }

    /// The bytes in memory.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Reads until the window has `wanted` bytes or the file ends; returns the window's length.
    pub(crate) fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        while self.bytes().len() < wanted && !self.ended {
            self.read_chunk()?;
        }
        Ok(self.bytes().len())
    }

    /// Steps over the first bytes of the window.
    pub(crate) fn consume(&mut self, length: usize) {
        let length = length.min(self.bytes().len());
        self.used += length;
        self.position += length as u64;
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        if self.used > 0 {
            self.buffer.drain(..self.used);
            self.used = 0;
        }
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK, 0);
        let read = read_some(
            &mut self.input,
            self.buffer.get_mut(filled..).unwrap_or_default(),
        );
        let length = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(filled + length.min(CHUNK));
        self.ended = length == 0;
        read.map(|_| ())
    }
}

fn read_some(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
