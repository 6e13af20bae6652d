//! What the pipeline does when the heap is lost, and when it is known anew ([`super::lost_heap`]).

use ducktrack_trace_format::{Collection, MovesLevel};

use super::Pipeline;
use super::lost_heap::Heap;
use crate::event_log::mirror::Moves;

/// What the collection says that begins the mirror anew.
const ANEW: &str = "the heap before this collection is not known; after it, all objects are listed";

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
