//! Objects and their bytes.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};

/// Objects, and the bytes that they take themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Objects.
    pub objects: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Amount {
    /// So many objects of so many bytes each.
    pub fn of(objects: u64, bytes_each: u64) -> Self {
        Self {
            objects,
            bytes: objects.saturating_mul(bytes_each),
        }
    }

    /// Nothing.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }

    /// This share of it, rounded.
    pub(crate) fn share(self, share: f64) -> Self {
        let part = |of: u64| (of as f64 * share).round() as u64;
        Self {
            objects: part(self.objects),
            bytes: part(self.bytes),
        }
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            objects: self.objects.saturating_add(other.objects),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Stops at zero.
impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            objects: self.objects.saturating_sub(other.objects),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}
