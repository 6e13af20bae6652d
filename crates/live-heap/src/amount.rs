//! A number of objects on the heap and the bytes they take.

use core::ops::{AddAssign, SubAssign};

/// Objects and bytes; unlike `Tally` of the count model never below zero: these are objects, not counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount {
    /// Objects.
    pub count: u64,
    /// Bytes, as the VM lays the objects out, headers and padding included.
    pub bytes: u64,
}

impl Amount {
    /// One object.
    #[inline]
    pub fn one(bytes: u64) -> Self {
        Self { count: 1, bytes }
    }

    /// Adds one object. Bytes of hostile files may be too many; they do not stop at the limit here, for this is done for every event.
    #[inline]
    pub fn add_one(&mut self, bytes: u64) {
        self.count = self.count.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes);
    }

    /// True when there is nothing.
    #[inline]
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// Sums stop at the limits of `u64`: sizes come from untrusted files.
impl AddAssign for Amount {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Stops at zero.
impl SubAssign for Amount {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.count = self.count.saturating_sub(other.count);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

impl core::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), |mut sum, item| {
            sum += item;
            sum
        })
    }
}
