//! Objects and their bytes.

use core::ops::AddAssign;

/// A number of objects and the bytes they take.
///
/// Signed on purpose: a counter's semantics may subtract, so a snapshot taken while a method is half way (or a
/// fault) can show a total below zero. It is then listed in [`CountModel::inconsistencies`](crate::CountModel),
/// and shown as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Objects.
    pub count: i64,
    /// Bytes, as the VM lays the objects out, headers and padding included.
    pub bytes: i64,
}

impl Tally {
    /// True when both numbers are zero.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// Adds; sums stop at the limits of `i64` (totals that reach them are listed as inconsistent).
impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl core::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        let mut sum = Self::default();
        items.for_each(|item| sum += item);
        sum
    }
}
