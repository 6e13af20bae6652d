//! The 24 bytes before a block's content.
//!
//! | offset | bytes | what | value |
//! |---|---|---|---|
//! | 0 | 4 | block mark | `DB 4B 42 DB` |
//! | 4 | 1 | kind | see [`BlockKind`] |
//! | 5 | 1 | flags | bit 0: content is one LZ4 block; all others 0 |
//! | 6 | 2 | zero | readers ignore it (but it is under the checksum) |
//! | 8 | 4 | sequence | number of the block in the file, from 0 |
//! | 12 | 4 | plain length | bytes of the content, expanded; at most [`MAX_CONTENT`] |
//! | 16 | 4 | stored length | bytes of the content in the file; equal to the plain length when not compressed, less when compressed |
//! | 20 | 4 | CRC-32 | of bytes 0 to 19 and then the stored content |
//! | 24 | stored length | content | |
//!
//! The CRC is that of zip and PNG (polynomial 04C11DB7, reflected). The mark lets a reader find the next block after a damaged
//! one. A reader skips and counts intact blocks with unknown kinds or flags.

use crate::FormatError;
use crate::byte_fields::{put_u16, put_u32, take_array, take_u16, take_u32};

/// The first four bytes of every block.
pub const BLOCK_MARK: [u8; 4] = [0xDB, 0x4B, 0x42, 0xDB];

/// The most bytes of a block's content when expanded.
pub const MAX_CONTENT: usize = 4 << 20;

/// Largest compression ratio of LZ4.
const MAX_EXPANSION: u32 = 255;

/// The kind of content of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockKind(pub u8);

impl BlockKind {
    /// A stream of records that define things (all records except snapshots and the end).
    pub const DEFINITIONS: Self = Self(1);
    /// A stream of records that state values.
    pub const VALUES: Self = Self(2);
    /// A stream with the end record. Nothing follows it.
    pub const END: Self = Self(3);
    /// Definitions that are not in the trace file yet ([`JournalBlock`](crate::JournalBlock)).
    pub const JOURNAL: Self = Self(4);
    /// A piece of a thread's event buffer ([`EventBlock`](crate::EventBlock)).
    pub const EVENTS: Self = Self(16);
    /// A collection ([`Collection`](crate::Collection)).
    pub const COLLECTION: Self = Self(17);
    /// A part of the moves of the previous collection ([`MoveDecoder`](crate::MoveDecoder)).
    pub const MOVES: Self = Self(18);
    /// A part of a synchronization point ([`SyncDecoder`](crate::SyncDecoder)).
    pub const SYNC: Self = Self(19);
    /// The first block of an event file ([`EventFile`](crate::EventFile)).
    pub const EVENT_FILE: Self = Self(20);
    /// Found objects that were explained later ([`Explained`](crate::Explained)).
    pub const EXPLAINED: Self = Self(21);
    /// Pieces of threads' event buffers in columns ([`EventColumns`](crate::EventColumns)).
    pub const EVENT_COLUMNS: Self = Self(23);
    /// A part of the survivors of the previous collection, not matched with events ([`decode_survivors`](crate::decode_survivors)).
    pub const SURVIVORS: Self = Self(24);
    /// Witness data of one thread ([`ExtensionBlock`](crate::ExtensionBlock)).
    pub const WITNESS: Self = Self(32);
    /// Objects that the next collection found dead: last uses and references ([`DeadEncoder`](crate::DeadEncoder)).
    pub const STAMPS: Self = Self(33);
    /// Objects that were used before the next collection ([`UseEncoder`](crate::UseEncoder)).
    pub const USES: Self = Self(34);
    /// The direct holders of objects at a moment ([`encode_roots`](crate::encode_roots)).
    pub const ROOTS: Self = Self(35);

    /// True if the content begins like that of an [`ExtensionBlock`](crate::ExtensionBlock).
    pub fn is_extension(self) -> bool {
        (32..64).contains(&self.0)
    }

    /// True when the content is events of threads, in either form.
    pub fn holds_events(self) -> bool {
        matches!(self, Self::EVENTS | Self::EVENT_COLUMNS)
    }

    /// True when the content is a stream of records.
    pub fn holds_records(self) -> bool {
        matches!(self, Self::DEFINITIONS | Self::VALUES | Self::END)
    }
}

impl core::fmt::Debug for BlockKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "kind{}", self.0)
    }
}

/// The header of a block, without mark and checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// The kind of content.
    pub kind: BlockKind,
    /// See [`BlockHeader::COMPRESSED`].
    pub flags: u8,
    /// Written as 0 and ignored by readers.
    pub reserved: u16,
    /// Number of the block in its file.
    pub sequence: u32,
    /// Bytes of the expanded content.
    pub plain_length: u32,
    /// Bytes of the content in the file.
    pub stored_length: u32,
    /// The stated checksum.
    pub crc: u32,
}

impl BlockHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 24;
    /// Flag: the content is one LZ4 block (no frame).
    pub const COMPRESSED: u8 = 1;

    /// The encoded header, with the checksum of this header and `content` (its own `crc` is not used).
    pub fn encode(self, content: &[u8]) -> [u8; Self::LENGTH] {
        let mut bytes = self.encode_with(0);
        let crc = checksum(&bytes, content);
        put_u32(&mut bytes, 20, crc);
        bytes
    }

    fn encode_with(self, crc: u32) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..4].copy_from_slice(&BLOCK_MARK);
        bytes[4] = self.kind.0;
        bytes[5] = self.flags;
        put_u16(&mut bytes, 6, self.reserved);
        put_u32(&mut bytes, 8, self.sequence);
        put_u32(&mut bytes, 12, self.plain_length);
        put_u32(&mut bytes, 16, self.stored_length);
        put_u32(&mut bytes, 20, crc);
        bytes
    }

    /// Decodes a header and checks that its lengths are possible. Verifying the checksum needs the content:
    /// [`BlockHeader::verify`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mark: [u8; 4] = take_array(bytes, 0)?;
        if mark != BLOCK_MARK {
            return Err(FormatError::NoBlock { found: mark });
        }
        let [kind, flags] = take_array(bytes, 4)?;
        let header = Self {
            kind: BlockKind(kind),
            flags,
            reserved: take_u16(bytes, 6)?,
            sequence: take_u32(bytes, 8)?,
            plain_length: take_u32(bytes, 12)?,
            stored_length: take_u32(bytes, 16)?,
            crc: take_u32(bytes, 20)?,
        };
        header.check_lengths()?;
        Ok(header)
    }

    fn check_lengths(&self) -> Result<(), FormatError> {
        let (plain, stored) = (self.plain_length, self.stored_length);
        let possible = match self.flags {
            0 => stored == plain,
            Self::COMPRESSED => stored < plain && plain / MAX_EXPANSION <= stored,
            // Content that will be skipped must only respect the limit.
            _ => true,
        };
        match usize::try_from(plain.max(stored)) {
            Ok(longest) if possible && longest <= MAX_CONTENT => Ok(()),
            _ => Err(FormatError::Length { stored, plain }),
        }
    }

    /// Compares the stated checksum with that of the header and the stored content.
    pub fn verify(&self, stored_content: &[u8]) -> Result<(), FormatError> {
        let computed = checksum(&self.encode_with(0), stored_content);
        if computed == self.crc {
            Ok(())
        } else {
            Err(FormatError::Checksum {
                stated: self.crc,
                computed,
            })
        }
    }
}

fn checksum(header: &[u8; BlockHeader::LENGTH], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..20]);
    hasher.update(content);
    hasher.finalize()
}
