//! Little-endian fields at fixed offsets, without panics on short input.

use crate::FormatError;

pub(crate) fn take_array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], FormatError> {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .ok_or(FormatError::TooShort {
            needed: at.saturating_add(N),
            present: bytes.len(),
        })
}

pub(crate) fn take_u16(bytes: &[u8], at: usize) -> Result<u16, FormatError> {
    take_array(bytes, at).map(u16::from_le_bytes)
}

pub(crate) fn take_u32(bytes: &[u8], at: usize) -> Result<u32, FormatError> {
    take_array(bytes, at).map(u32::from_le_bytes)
}

/// Writes into a header under construction, which the caller has made long enough.
pub(crate) fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

/// Writes into a header under construction, which the caller has made long enough.
pub(crate) fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
