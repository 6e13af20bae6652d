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

impl Pipeline {
    /// Makes the mirror an empty one, if the collection at hand tells the whole heap.
    pub(super) fn begin_anew(&mut self, tells_all: bool) {
        self.anew = tells_all && self.mirror.is_none();
        if self.anew {
            self.mirror = self.waiting.take();
        }
    }

    /// The collection was taken: moves into an unknown heap tell readers nothing.
    pub(super) fn began_anew(&mut self, collection: &mut Collection, moves: Moves) -> Moves {
        if !self.anew {
            return moves;
        }
        self.stats.heaps_taken_anew += 1;
        collection.fault = Some(ANEW.to_owned());
        Moves::default()
    }

    /// Moves are not known. At level exact they may be again.
    pub(super) fn lose_heap(&mut self, level: MovesLevel) {
        self.anew = false;
        let mirror = self.mirror.take().or(self.waiting.take());
        self.waiting = mirror
            .filter(|_| level == MovesLevel::Exact)
            .map(Mirror::emptied);
    }
}
