//! Sums that stop at the limit of `u64`: sizes and numbers of objects come from untrusted files.

/// Adds a value to a sum.
#[inline]
pub fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}

/// The sum of all values.
pub fn sum(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, u64::saturating_add)
}
