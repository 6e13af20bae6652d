//! The first 16 bytes of a trace file.
//!
//! | offset | bytes | what | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `8B 44 55 43 4B 0D 0A 1A` (`\x8BDUCK\r\n\x1A`) |
//! | 8 | 2 | format version | 1 |
//! | 10 | 2 | length of this header | 16; blocks start there |
//! | 12 | 4 | CRC-32 of bytes 0 to 11 | |
//!
//! As in PNG, the first byte is not ASCII, and the line ends and the end-of-file character reveal a transfer as text.
//! All numbers of the format are little-endian on every machine; a reader on a big-endian machine must swap them.
//!
//! A reader that finds a higher version refuses the file, because records may have another meaning there. New kinds
//! of blocks and records do not raise the version; older readers skip and count them.

use crate::FormatError;
use crate::byte_fields::{put_u16, put_u32, take_array, take_u16, take_u32};

/// The first eight bytes of every trace.
pub const MAGIC: [u8; 8] = [0x8B, b'D', b'U', b'C', b'K', b'\r', b'\n', 0x1A];

/// The version of the format that this crate reads and writes.
pub const FORMAT_VERSION: u16 = 1;

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Format version.
    pub version: u16,
    /// Offset of the first block.
    pub length: u16,
}

impl FileHeader {
    /// Length in bytes of the current version's header, and the minimum of all.
    pub const LENGTH: usize = 16;

    /// The header of the current version.
    pub fn current() -> Self {
        Self {
            version: FORMAT_VERSION,
            length: 16,
        }
    }

    /// The bytes.
    pub fn encode(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        put_u16(&mut bytes, 8, self.version);
        put_u16(&mut bytes, 10, self.length);
        let crc = crc32fast::hash(&bytes[..12]);
        put_u32(&mut bytes, 12, crc);
        bytes
    }

    /// Reads the header from the first bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let magic: [u8; 8] = take_array(bytes, 0)?;
        if magic != MAGIC {
            return Err(FormatError::Foreign { found: magic });
        }
        let header = Self {
            version: take_u16(bytes, 8)?,
            length: take_u16(bytes, 10)?,
        };
        let stated = take_u32(bytes, 12)?;
        let crc = crc32fast::hash(bytes.get(..12).unwrap_or_default());
        if crc != stated {
            return Err(FormatError::Checksum {
                stated,
                computed: crc,
            });
        }
        if header.version != FORMAT_VERSION {
            return Err(FormatError::Version {
                found: header.version,
            });
        }
        if usize::from(header.length) < Self::LENGTH {
            return Err(FormatError::HeaderLength {
                found: header.length,
            });
        }
        Ok(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let bytes = FileHeader::current().encode();
        assert_eq!(FileHeader::decode(&bytes), Ok(FileHeader::current()));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = FileHeader::current().encode();
        for bit in 0..good.len() * 8 {
            let mut bad = good;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(FileHeader::decode(&bad).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_prefix_is_too_short() {
        let good = FileHeader::current().encode();
        for length in 0..good.len() {
            assert!(matches!(
                FileHeader::decode(&good[..length]),
                Err(FormatError::TooShort { .. })
            ));
        }
    }

    #[test]
    fn a_newer_version_is_named() {
        let newer = FileHeader {
            version: FORMAT_VERSION + 1,
            length: 24,
        };
        assert_eq!(
            FileHeader::decode(&newer.encode()),
            Err(FormatError::Version {
                found: FORMAT_VERSION + 1
            })
        );
    }
}
