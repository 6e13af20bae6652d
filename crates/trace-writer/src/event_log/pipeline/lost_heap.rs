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

use ducktrack_trace_format::{Collection, MovesLevel};

use super::Pipeline;
use crate::event_log::mirror::{Mirror, Moves};

/// What the collection says that begins the mirror anew.
const ANEW: &str =
    "the heap before this collection is not known; behind it, all objects are listed";

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

    fn take_mirror(&mut self) -> Option<Mirror> {
        match std::mem::replace(self, Self::Unknown) {
            Self::Known(mirror) | Self::Anew(mirror) | Self::Waiting(mirror) => Some(mirror),
            Self::Unknown => None,
        }
    }
}

impl Pipeline {
    /// A heap that waits is known anew, if the collection at hand tells all of it.
    pub(super) fn begin_anew(&mut self, tells_all: bool) {
        self.heap = match std::mem::replace(&mut self.heap, Heap::Unknown) {
            Heap::Waiting(mirror) if tells_all => Heap::Anew(mirror),
            Heap::Anew(mirror) => Heap::Known(mirror),
            other => other,
        };
    }

    /// The collection was taken: moves into an unknown heap tell readers nothing.
    pub(super) fn began_anew(&mut self, collection: &mut Collection, moves: Moves) -> Moves {
        if !self.is_anew() {
            return moves;
        }
        self.stats.heaps_taken_anew += 1;
        collection.fault = Some(ANEW.to_owned());
        Moves::default()
    }

    /// Does the collection at hand begin the mirror anew?
    pub(super) fn is_anew(&self) -> bool {
        matches!(self.heap, Heap::Anew(_))
    }

    /// Moves are not known, but may be again.
    pub(super) fn lose_heap(&mut self, level: MovesLevel) {
        let mirror = self.heap.take_mirror();
        self.heap = mirror
            .filter(|_| level != MovesLevel::Off)
            .map_or(Heap::Unknown, |mirror| Heap::Waiting(mirror.emptied()));
    }
}
