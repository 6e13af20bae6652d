//! How far a branch of two bytes goes.

/// Fits a two-byte branch offset.
pub(crate) fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}
