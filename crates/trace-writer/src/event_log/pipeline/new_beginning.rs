//! What the pipeline does when the heap is lost, and when it is known again ([`super::lost_heap`]).

use ducktrack_heap_mirror::Moves;
use ducktrack_trace_format::{Collection, MovesLevel};

use super::Pipeline;
use super::lost_heap::Heap;

/// Fault of the collection with which the mirror begins anew.
const ANEW: &str = "the heap before this collection is not known; after it, all objects are listed";

impl Pipeline {
    /// Makes a waiting heap known again, if the current collection lists all of it.
    pub(super) fn begin_anew(&mut self, lists_all: bool) {
        self.heap = match std::mem::replace(&mut self.heap, Heap::Unknown) {
            Heap::Waiting(mirror) if lists_all => Heap::Anew(mirror),
            Heap::Anew(mirror) => Heap::Known(mirror),
            other => other,
        };
    }

    /// Finishes such a collection: its moves would mean nothing to readers, because they do not know the heap before
    /// it.
    pub(super) fn began_anew(&mut self, collection: &mut Collection, moves: Moves) -> Moves {
        if !self.is_anew() {
            return moves;
        }
        self.stats.heaps_taken_anew += 1;
        collection.fault = Some(ANEW.to_owned());
        Moves::default()
    }

    /// Whether the mirror begins anew with the current collection.
    pub(super) fn is_anew(&self) -> bool {
        matches!(self.heap, Heap::Anew(_))
    }

    /// Moves are unknown from here on, but may be known again.
    pub(super) fn lose_heap(&mut self, level: MovesLevel) {
        if self.is_awaited && self.heap.is_known() {
            // A cycle shows one generation; all of the heap must be put together.
            self.parts.host.want_whole_heap();
        }
        let mirror = self.heap.take_mirror();
        self.heap = mirror
            .filter(|_| level != MovesLevel::Off)
            .map_or(Heap::Unknown, |mirror| Heap::Waiting(mirror.emptied()));
    }
}
