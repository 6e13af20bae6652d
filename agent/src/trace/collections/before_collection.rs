//! The report of a pause about objects, besides its collections: the layers fill it in.

use ducktrack_trace_format::{ThreadId, encode_stamps};

use crate::trace::buffers::ThreadBuffers;

/// Blocks that come before those of the collections.
#[derive(Default)]
pub(crate) struct BeforeCollection {
    /// Uses of objects, as contents of blocks.
    pub(crate) uses: Vec<Vec<u8>>,
    /// The positions of threads, if stamps of dead objects are recorded.
    pub(crate) positions: Option<Vec<(ThreadId, u64)>>,
}

impl BeforeCollection {
    /// Writes the stamps of the objects that the next collection found dead, before that
    /// collection. `dead` is `None` if they are unknown. Positions are written once.
    pub(super) fn write_stamps(&mut self, buffers: &ThreadBuffers, dead: Option<Vec<Vec<u8>>>) {
        let Some(positions) = &mut self.positions else {
            return;
        };
        for part in dead.unwrap_or_else(|| vec![Vec::new()]) {
            let threads = std::mem::take(positions);
            let content = encode_stamps(buffers.epoch(), &threads, &part);
            buffers.log().stamps(content);
        }
    }
}
