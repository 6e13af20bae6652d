//! Big-endian reading from untrusted bytes.
//!
//! A [`Cursor`] knows the position of its bytes in the class file and the part
//! it is in, so that callers only write `?` and errors still have a place.

use crate::error::{Error, Part, Rule};

/// Reads one part of a class file from front to back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// Position in the class file of the end of `rest`.
    end: usize,
    part: Part,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which start at `offset` of the class file.
    pub(crate) fn new(bytes: &'a [u8], offset: usize, part: Part) -> Self {
        Self {
            rest: bytes,
            end: offset + bytes.len(),
            part,
        }
    }

    /// Position in the class file of the next byte.
    pub(crate) fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    /// The bytes not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Changes the part that errors will name.
    pub(crate) fn enter(&mut self, part: Part) {
        self.part = part;
    }

    /// An error at the next byte.
    pub(crate) fn error(&self, rule: Rule) -> Error {
        Error::new(rule, self.offset(), self.part)
    }

    /// The next `N` bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, rest)) => {
                self.rest = rest;
                Ok(*head)
            }
            None => Err(self.error(Rule::UnexpectedEnd)),
        }
    }

    /// The next `length` bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        match self.rest.split_at_checked(length) {
            Some((head, rest)) => {
                self.rest = rest;
                Ok(head)
            }
            None => Err(self.error(Rule::UnexpectedEnd)),
        }
    }

    /// One byte.
    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        self.array().map(u8::from_be_bytes)
    }

    /// Two bytes.
    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        self.array().map(u16::from_be_bytes)
    }

    /// Four bytes.
    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_be_bytes)
    }

    /// Four bytes, signed.
    #[inline]
    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        self.array().map(i32::from_be_bytes)
    }

    /// A four-byte length and that many bytes.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], Error> {
        let length = self.u32()?;
        let length = usize::try_from(length).map_err(|_| self.error(Rule::UnexpectedEnd))?;
        self.take(length)
    }

    /// Fails if bytes are left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(self.error(Rule::TrailingBytes(left))),
        }
    }
}

/// Two bytes at the start of `bytes`, or 0; for tables whose shape was checked before.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<2>())
        .map_or(0, |b| u16::from_be_bytes(*b))
}

/// Four bytes, signed, as [`u16_at`].
#[inline]
pub(crate) fn i32_at(bytes: &[u8], at: usize) -> i32 {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<4>())
        .map_or(0, |b| i32::from_be_bytes(*b))
}
