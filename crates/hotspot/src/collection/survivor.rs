//! An object that outlived a collection.

use crate::address::Address;
use crate::classes::class_table::ClassId;

/// An object that outlived a collection which could have taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survivor {
    /// Its address before the collection.
    pub from: Address,
    /// Its address after the collection.
    pub to: Address,
    /// Its class.
    pub class: ClassId,
    /// Size in units of 8 bytes, because an array can exceed 4 GB.
    words: u32,
}

impl Survivor {
    /// Returns `None` for a size that no object has: not a multiple of 8, or above 32 GB.
    #[must_use]
    pub fn new(from: Address, to: Address, bytes: usize, class: ClassId) -> Option<Self> {
        let words = u32::try_from(bytes / 8)
            .ok()
            .filter(|_| bytes.is_multiple_of(8))?;
        Some(Self {
            from,
            to,
            class,
            words,
        })
    }

    /// Size in bytes, alignment included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(self.words) * 8
    }

    /// Whether the object changed its address.
    #[must_use]
    pub fn moved(&self) -> bool {
        self.from != self.to
    }
}
