//! An object that a collection could have taken and did not.

use crate::address::Address;
use crate::class_table::ClassId;

/// An object that outlived a collection which could have taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survivor {
    /// Where it was.
    pub from: Address,
    /// Where it is.
    pub to: Address,
    /// Its class.
    pub class: ClassId,
    /// Size in units of 8 bytes: an array may have more than 4 GB.
    words: u32,
}

impl Survivor {
    /// `None` for a size that is no multiple of 8 or beyond 32 GB: no object has it.
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

    /// Has it another address now?
    #[must_use]
    pub fn moved(&self) -> bool {
        self.from != self.to
    }
}
