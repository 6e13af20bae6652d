//! The reach of a branch with a two-byte offset.

/// Whether a two-byte branch offset can express the distance.
pub(crate) fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}
