//! In which space an address is.

use ducktrack_trace_format::{Space, SpaceKind};

/// Spaces by address.
#[derive(Clone, Debug, Default)]
pub struct SpaceMap {
    spaces: Vec<Space>,
}

impl SpaceMap {
    /// The map of these spaces.
    pub fn new(spaces: &[Space]) -> Self {
        let mut spaces: Vec<Space> = spaces.to_vec();
        spaces.sort_unstable_by_key(|space| space.bottom);
        Self { spaces }
    }

    /// Position of the space in which an object starts; spaces may have grown over their noted top since.
    #[inline]
    pub fn position(&self, address: u64) -> Option<usize> {
        self.spaces
            .partition_point(|space| space.bottom <= address)
            .checked_sub(1)
    }

    /// The purpose of the space in which an object starts.
    #[inline]
    pub fn kind(&self, address: u64) -> Option<SpaceKind> {
        self.spaces
            .get(self.position(address)?)
            .map(|space| space.kind)
    }

    /// In the order of addresses.
    pub fn spaces(&self) -> &[Space] {
        &self.spaces
    }
}

/// True for spaces whose objects have to live long to get there.
#[inline]
pub fn is_old(kind: SpaceKind) -> bool {
    matches!(kind, SpaceKind::Old)
}

/// True for spaces whose objects are looked at by every collection.
#[inline]
pub fn is_young(kind: SpaceKind) -> bool {
    matches!(kind, SpaceKind::Eden | SpaceKind::Survivor | SpaceKind::To)
}
