//! The mirror while moves are not known, and its new beginning.
//!
//! ```text
//!          a collection without moves              a collection that is known and tells all live objects
//! known ------------------------------> waiting ----------------------------------------------------------> known
//!       mirror                          no objects; events of one epoch                                     mirror, new file
//! ```
//!
//! While it waits, events are kept until the collection that ends their epoch: is that one known and tells the whole heap, they explain the objects of its epoch. All others
//! are of a class and of no site. The collection itself says in the trace that moves are not known, for it has no heap to start from; a new file with a synchronization point
//! follows it, so that readers go on as after a rotation.

use crate::event_log::mirror::Mirror;

/// What is known of the heap.
pub(crate) enum Heap {
    /// The mirror has every object of the epochs before.
    Known(Mirror),
    /// The same, since the collection at hand.
    Anew(Mirror),
    /// Moves are not known, but may be again: a mirror without objects, for the events of the current epoch.
    Waiting(Mirror),
    /// Moves are not known, and will not be.
    Unknown,
}

impl Heap {
    /// Are all objects known?
    pub(crate) fn is_known(&self) -> bool {
        matches!(self, Self::Known(_) | Self::Anew(_))
    }

    /// The mirror of a heap that is known.
    pub(crate) fn known(&mut self) -> Option<&mut Mirror> {
        match self {
            Self::Known(mirror) | Self::Anew(mirror) => Some(mirror),
            Self::Waiting(_) | Self::Unknown => None,
        }
    }

    /// The mirror that keeps the events of the current epoch.
    pub(crate) fn keeper(&mut self) -> Option<&mut Mirror> {
        match self {
            Self::Known(mirror) | Self::Anew(mirror) | Self::Waiting(mirror) => Some(mirror),
            Self::Unknown => None,
        }
    }

    pub(super) fn take_mirror(&mut self) -> Option<Mirror> {
        match std::mem::replace(self, Self::Unknown) {
            Self::Known(mirror) | Self::Anew(mirror) | Self::Waiting(mirror) => Some(mirror),
            Self::Unknown => None,
        }
    }
}
