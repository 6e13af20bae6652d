//! Numbers of variable length in the contents of event blocks.
//!
//! ```text
//! varint = 7 bits a byte, lowest first, bit 7 set on all bytes but the last (LEB128); at most 10 bytes, 64 bits
//! zigzag = 0, -1, 1, -2, 2, ... as 0, 1, 2, 3, 4, ...
//! ```

use crate::FormatError;

/// Appends a varint.
pub(crate) fn put_varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// The difference `to - from` (modulo 2^64) as a zigzag number.
pub(crate) fn zigzag(from: u64, to: u64) -> u64 {
    let difference = to.wrapping_sub(from) as i64;
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The number at this zigzag difference from `from`.
pub(crate) fn from_zigzag(from: u64, code: u64) -> u64 {
    let difference = (code >> 1) ^ (code & 1).wrapping_neg();
    from.wrapping_add(difference)
}

/// Reads fields one after the other, without panics on short input.
#[derive(Clone, Debug)]
pub(crate) struct FieldReader<'a> {
    content: &'a [u8],
    at: usize,
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(content: &'a [u8]) -> Self {
        Self { content, at: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.content.len()
    }

    /// All unread bytes.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.content.get(self.at..).unwrap_or_default()
    }

    /// The bytes after a length field, and the bytes after those.
    pub(crate) fn length_and_rest(mut self) -> Result<(&'a [u8], &'a [u8]), FormatError> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let split = self.rest().split_at_checked(length);
        split.ok_or_else(|| self.too_short())
    }

    /// The next bytes, as many as `length` says.
    pub(crate) fn step_over(&mut self, length: usize) -> Result<&'a [u8], FormatError> {
        let (bytes, _) = self
            .rest()
            .split_at_checked(length)
            .ok_or_else(|| self.too_short())?;
        self.at += length;
        Ok(bytes)
    }

    fn too_short(&self) -> FormatError {
        FormatError::TooShort {
            needed: self.content.len().saturating_add(1),
            present: self.content.len(),
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, FormatError> {
        let byte = *self.content.get(self.at).ok_or_else(|| self.too_short())?;
        self.at += 1;
        Ok(byte)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, FormatError> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut value = u64::from(first & 0x7F);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.malformed("a number of more than 64 bits"))
    }

    /// A varint that must fit 32 bits.
    pub(crate) fn varint_u32(&mut self) -> Result<u32, FormatError> {
        let value = self.varint()?;
        u32::try_from(value).map_err(|_| self.malformed("a number of more than 32 bits"))
    }

    /// Eight bytes, little-endian.
    pub(crate) fn fixed_u64(&mut self) -> Result<u64, FormatError> {
        let bytes = self.rest().first_chunk::<8>();
        let value = u64::from_le_bytes(*bytes.ok_or_else(|| self.too_short())?);
        self.at += 8;
        Ok(value)
    }

    /// An error at the current position.
    pub(crate) fn malformed(&self, reason: &'static str) -> FormatError {
        FormatError::Field {
            at: self.at,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_than_64_bits_are_refused() {
        let mut bytes = vec![0xFF; 9];
        bytes.push(0x02);
        assert!(FieldReader::new(&bytes).varint().is_err());
        assert!(FieldReader::new(&[0x80; 30]).varint().is_err());
        assert!(FieldReader::new(&[0x80]).varint().is_err());
        assert!(FieldReader::new(&[]).varint().is_err());
    }

    proptest! {
        #[test]
        fn varints_round_trip(value: u64, shift in 0_u32..64) {
            let value = value >> shift;
            let mut bytes = Vec::new();
            put_varint(value, &mut bytes);
            let mut reader = FieldReader::new(&bytes);
            prop_assert_eq!(reader.varint(), Ok(value));
            prop_assert!(reader.is_at_end());
        }

        #[test]
        fn differences_round_trip(from: u64, to: u64) {
            prop_assert_eq!(from_zigzag(from, zigzag(from, to)), to);
        }

        #[test]
        fn near_differences_are_short(from: u64, by in -64_i64..64) {
            prop_assert!(zigzag(from, from.wrapping_add(by as u64)) < 128);
        }
    }
}
