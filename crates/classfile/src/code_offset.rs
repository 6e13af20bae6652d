//! A position in a method's bytecode.

use serde::{Deserialize, Serialize};

/// A position in one method's bytecode, counted in bytes from its start.
///
/// Wide enough for positions past 65,535, which come up while code is edited.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct CodeOffset(pub u32);

impl CodeOffset {
    /// The position `delta` bytes away, if it is not negative.
    #[must_use]
    #[inline]
    pub fn branch(self, delta: i32) -> Option<Self> {
        self.0.checked_add_signed(delta).map(Self)
    }

    /// As an index into a byte slice.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u16> for CodeOffset {
    fn from(offset: u16) -> Self {
        Self(u32::from(offset))
    }
}

impl std::fmt::Debug for CodeOffset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl std::fmt::Display for CodeOffset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
