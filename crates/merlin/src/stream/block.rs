//! Framing: the file header, and blocks with length and checksum. All numbers are little-endian.
//!
//! ```text
//! file header  0  8  magic: 89 4d 45 52 4c 49 4e 0a
//!              8  2  version: 1
//!             10  2  0
//! block        0  4  kind: 1 records, 2 end; others are stepped over
//!              4  4  length of the payload, at most 1 MiB
//!              8  4  CRC-32 of kind, length and payload
//!             12     payload
//! records      0  8  time before the first record
//!              8  8  latest object allocated before, 0: none
//!             16  4  thread of the first event
//!             20     records
//! end          0  8  records of the stream
//! ```

pub(crate) const MAGIC: [u8; 8] = *b"\x89MERLIN\n";
/// The version of the format.
pub const VERSION: u16 = 1;
pub(crate) const FILE_HEADER: usize = 12;
pub(crate) const BLOCK_HEADER: usize = 12;
pub(crate) const RECORDS_HEADER: usize = 20;
pub(crate) const RECORDS: u32 = 1;
pub(crate) const END: u32 = 2;
/// The longest payload, in bytes.
pub(crate) const LONGEST: u32 = 1 << 20;

/// The first 12 bytes of a stream.
pub(crate) fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// The header of a block with this payload.
pub(crate) fn block_header(kind: u32, payload: &[u8]) -> [u8; BLOCK_HEADER] {
    // Writers close blocks far below the limit.
    let length = payload.len() as u32;
    let mut header = [0; BLOCK_HEADER];
    header[..4].copy_from_slice(&kind.to_le_bytes());
    header[4..8].copy_from_slice(&length.to_le_bytes());
    header[8..].copy_from_slice(&checksum(kind, length, payload).to_le_bytes());
    header
}

pub(crate) fn checksum(kind: u32, length: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// The 32-bit number at the front; `None` when there is none.
pub(crate) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

/// The 64-bit number at the front; `None` when there is none.
pub(crate) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}
