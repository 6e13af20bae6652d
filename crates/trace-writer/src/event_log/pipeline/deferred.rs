//! Survivors that are written as the agent read them: readers keep the mirror ([`ducktrack_heap_mirror`]).

use ducktrack_heap_mirror::{Moves, put_in_order};
use ducktrack_trace_format::{Collection, MovesLevel, Survivor, encode_survivors};

use super::Pipeline;
use super::lost_heap::Heap;

/// Contents are cut at this length.
const PART_BYTES: usize = 1 << 20;

/// Counts and encodes survivors. An error means that they contradict each other.
pub(super) fn survivors_as_they_are(
    collection: &mut Collection,
    survivors: &mut [Survivor],
    classes: u32,
) -> Result<Moves, &'static str> {
    put_in_order(survivors)?;
    let counts = &mut collection.counts;
    for survivor in &*survivors {
        match survivor.from == survivor.to {
            true => counts.stayed += 1,
            false => counts.moved += 1,
        }
        counts.survived_bytes += survivor.bytes();
    }
    Ok(Moves {
        blocks: encode_survivors(survivors, classes, PART_BYTES),
        explained: Vec::new(),
    })
}

impl Pipeline {
    /// After a synchronization point readers know the heap, and can match again.
    pub(super) fn defer(&mut self) {
        if self.parts.options.match_later
            && let Some(mirror) = self.heap.take_mirror()
        {
            self.heap = Heap::Deferred(mirror.emptied());
        }
    }

    /// Blocks are lost, and with them what readers need to match survivors: the heap must be listed anew. True if it was deferred.
    pub(super) fn lose_deferred(&mut self) {
        if self.heap.is_deferred() && self.parts.output.gauge().is_torn() {
            self.lose_heap(MovesLevel::Exact);
            self.parts.host.want_whole_heap();
        }
    }
}
