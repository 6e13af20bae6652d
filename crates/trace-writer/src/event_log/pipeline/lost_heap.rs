//! The mirror while moves are unknown, and how it begins anew.
//!
//! ```text
//!          a collection without moves              a known collection with all live objects
//! known ------------------------------> waiting ----------------------------------------------------------> known
//!       mirror                          no objects; events of one epoch                                     mirror, new file
//! ```
//!
//! A deferred heap has no mirror of its objects, and is lost and begins anew in the same way: `known` is then the file after the
//! synchronization point, and deferred again.
//!
//! While it waits, events are kept until the collection that ends their epoch. If that collection is known and lists the whole heap, the
//! events explain the objects of its epoch. All other objects get a class, but no site. The trace marks the collection itself as one
//! without moves, for it has no heap to start from. A new file with a synchronization point follows, so that readers go on as after a
//! rotation.

use ducktrack_heap_mirror::Mirror;

/// What is known of the heap.
pub(crate) enum Heap {
    /// Moves are known, and readers match them with events: a mirror without objects, which knows the classes.
    Deferred(Mirror),
    /// The mirror has every object of the earlier epochs.
    Known(Mirror),
    /// Like `Known`, since the current collection.
    Anew(Mirror),
    /// Moves are unknown, but may be known again: a mirror without objects, for the events of the current epoch.
    Waiting(Mirror),
    /// Moves are unknown, and will stay so.
    Unknown,
}

impl Heap {
    /// Whether survivors are written as they are.
    pub(crate) fn is_deferred(&self) -> bool {
        matches!(self, Self::Deferred(_))
    }

    /// The mirror, if there is one at all: for classes.
    pub(crate) fn mirror(&mut self) -> Option<&mut Mirror> {
        match self {
            Self::Deferred(mirror)
            | Self::Known(mirror)
            | Self::Anew(mirror)
            | Self::Waiting(mirror) => Some(mirror),
            Self::Unknown => None,
        }
    }

    /// Whether all objects are known, here or to readers.
    pub(crate) fn is_known(&self) -> bool {
        matches!(self, Self::Deferred(_) | Self::Known(_) | Self::Anew(_))
    }

    /// The mirror, if the heap is known.
    pub(crate) fn known(&mut self) -> Option<&mut Mirror> {
        match self {
            Self::Known(mirror) | Self::Anew(mirror) => Some(mirror),
            Self::Deferred(_) | Self::Waiting(_) | Self::Unknown => None,
        }
    }

    /// The mirror that keeps the events of the current epoch.
    pub(crate) fn keeper(&mut self) -> Option<&mut Mirror> {
        match self {
            Self::Known(mirror) | Self::Anew(mirror) | Self::Waiting(mirror) => Some(mirror),
            Self::Deferred(_) | Self::Unknown => None,
        }
    }

    pub(super) fn take_mirror(&mut self) -> Option<Mirror> {
        match std::mem::replace(self, Self::Unknown) {
            Self::Deferred(mirror)
            | Self::Known(mirror)
            | Self::Anew(mirror)
            | Self::Waiting(mirror) => Some(mirror),
            Self::Unknown => None,
        }
    }
}
