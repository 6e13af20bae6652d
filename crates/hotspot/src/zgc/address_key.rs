//! Addresses by generation.

use crate::address::Address;

/// Set in addresses of the old generation. No address of a program has this bit on the systems that the agent runs on.
pub const OLD_GENERATION: usize = 1 << 47;

/// A generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The young one, or the only one.
    Young,
    /// The old one.
    Old,
}

impl Generation {
    /// Both, in the order of the VM's numbers.
    pub(crate) const ALL: [Self; 2] = [Self::Young, Self::Old];

    /// The address of an object of this generation.
    pub(crate) fn key(self, address: usize) -> Address {
        match self {
            Self::Young => Address(address),
            Self::Old => Address(address | OLD_GENERATION),
        }
    }
}
