//! The spaces of a heap: generations, or the regions of G1.

use serde::{Deserialize, Serialize};

use crate::{AddressRange, HeapAddress};

/// The purpose of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SpaceKind {
    /// New objects.
    Eden,
    /// Objects that survived a young collection (the from-space; G1: survivor regions).
    Survivor,
    /// The other half of the survivor spaces, empty between collections.
    To,
    /// Tenured objects.
    Old,
    /// The first region of an object larger than half a region; its object goes on in the next regions.
    HumongousStart,
    /// A further region of such an object: no object starts here.
    HumongousContinues,
    /// An archive of the JDK mapped into the heap (G1 up to JDK 17).
    Archive,
    /// A free region.
    Free,
    /// A region with a tag that is not known.
    Other,
}

impl SpaceKind {
    /// Is it collected by every young collection?
    #[must_use]
    pub fn is_young(self) -> bool {
        matches!(self, Self::Eden | Self::Survivor | Self::To)
    }

    /// Do objects start here?
    #[must_use]
    pub fn holds_objects(self) -> bool {
        !matches!(self, Self::HumongousContinues | Self::Free)
    }

    /// The word in JSON and text. The regions of one humongous object are of one
    /// kind: their live bytes are those of the object, which starts in the first.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eden => "eden",
            Self::Survivor => "survivor",
            Self::To => "to",
            Self::Old => "old",
            Self::HumongousStart | Self::HumongousContinues => "humongous",
            Self::Archive => "archive",
            Self::Free => "free",
            Self::Other => "other",
        }
    }
}

/// A part of the heap with objects from `bottom` to `top`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Space<A> {
    /// Its purpose.
    pub kind: SpaceKind,
    /// G1: the index of the region. Else 0 old, 1 eden, 2 from, 3 to.
    pub index: u32,
    /// First object.
    pub bottom: A,
    /// End of the last object.
    pub top: A,
}

impl<A: HeapAddress> Space<A> {
    /// The same space in addresses of another sort.
    #[must_use]
    pub fn map<B>(self, mut address: impl FnMut(A) -> B) -> Space<B> {
        Space {
            kind: self.kind,
            index: self.index,
            bottom: address(self.bottom),
            top: address(self.top),
        }
    }
}

/// The used part of a space.
impl<A: Copy> From<&Space<A>> for AddressRange<A> {
    fn from(space: &Space<A>) -> Self {
        Self {
            start: space.bottom,
            end: space.top,
        }
    }
}
