//! A part of the heap by its addresses.

use serde::{Deserialize, Serialize};

/// A sort of address.
pub trait HeapAddress: Copy + Ord {
    /// How bytes between two of them are counted.
    type Bytes;

    /// Bytes from `lower` up to this address; 0 if it is not above.
    fn bytes_above(self, lower: Self) -> Self::Bytes;
}

impl HeapAddress for u64 {
    type Bytes = u64;

    fn bytes_above(self, lower: Self) -> u64 {
        self.saturating_sub(lower)
    }
}

/// Addresses from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AddressRange<A> {
    /// First byte.
    pub start: A,
    /// First byte after it.
    pub end: A,
}

impl<A: HeapAddress> AddressRange<A> {
    /// Is the address inside?
    #[must_use]
    #[inline]
    pub fn contains(&self, address: A) -> bool {
        self.start <= address && address < self.end
    }

    /// Its length in bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> A::Bytes {
        self.end.bytes_above(self.start)
    }

    /// The same range in addresses of another sort.
    #[must_use]
    pub fn map<B>(self, mut address: impl FnMut(A) -> B) -> AddressRange<B> {
        AddressRange {
            start: address(self.start),
            end: address(self.end),
        }
    }
}
