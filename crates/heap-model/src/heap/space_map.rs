//! In which space an address is.

use std::sync::Arc;

use ducktrack_trace_format::{Space, SpaceKind};

use crate::SpaceUse;

/// Spaces by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpaceMap {
    spaces: Vec<Space>,
}

impl SpaceMap {
    pub(crate) fn new(spaces: &[Space]) -> Self {
        let mut spaces: Vec<Space> = spaces.to_vec();
        spaces.sort_unstable_by_key(|space| space.bottom);
        Self { spaces }
    }

    /// Position of the space in which an object starts; spaces may have grown over their noted top since.
    pub(crate) fn position(&self, address: u64) -> Option<usize> {
        self.spaces
            .partition_point(|space| space.bottom <= address)
            .checked_sub(1)
    }

    /// What the space is for in which an object starts.
    pub(crate) fn kind(&self, address: u64) -> Option<SpaceKind> {
        self.spaces
            .get(self.position(address)?)
            .map(|space| space.kind)
    }

    pub(crate) fn spaces(&self) -> &[Space] {
        &self.spaces
    }
}

/// True for spaces whose objects have to live long to get there.
pub(crate) fn is_old(kind: SpaceKind) -> bool {
    matches!(kind, SpaceKind::Old)
}

/// True for spaces whose objects are looked at by every collection.
pub(crate) fn is_young(kind: SpaceKind) -> bool {
    matches!(kind, SpaceKind::Eden | SpaceKind::Survivor | SpaceKind::To)
}

/// Used bytes by kind, in the order of first appearance.
pub(crate) fn space_uses(spaces: &[Space]) -> Vec<SpaceUse> {
    let mut uses: Vec<SpaceUse> = Vec::new();
    for space in spaces {
        let used = space.top.saturating_sub(space.bottom);
        let kind = space.kind.name();
        if space.kind == SpaceKind::Free {
            continue;
        }
        match uses.iter_mut().find(|known| &*known.kind == kind) {
            Some(known) => {
                known.number += u32::from(used > 0);
                known.used = known.used.saturating_add(used);
            }
            None => uses.push(SpaceUse {
                kind: Arc::from(kind),
                number: u32::from(used > 0),
                used,
            }),
        }
    }
    uses
}
