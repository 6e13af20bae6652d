//! The place of a collection among events, kept from its first pause until it is over.

use std::sync::Arc;

use crossbeam_channel::Sender;
use ducktrack_trace_format::{Collection, HeapClass};

use super::buffer_words::Durable;
use super::flush_queue::{AwaitedCollection, FlushQueue};
use super::survivor::Survivors;

/// Where a collection goes that is not over yet. If it is dropped, the collection is missing in the trace, which its readers report.
pub struct CollectionPlace {
    pub(super) sender: Sender<AwaitedCollection>,
    pub(super) queue: Arc<FlushQueue>,
}

impl CollectionPlace {
    /// Hands the collection over, the classes that it met first, and the uses before it (contents of blocks, see
    /// [`UseEncoder`](ducktrack_trace_format::UseEncoder)). Never blocks.
    pub fn fill(
        self,
        classes: Arc<[HeapClass]>,
        collection: Collection,
        survivors: Survivors,
        (uses, copy): (Vec<Vec<u8>>, Option<Box<dyn Durable>>),
    ) {
        let bytes = survivors.memory();
        self.queue.survivors_wait(bytes);
        let content = AwaitedCollection {
            classes,
            collection: Box::new(collection),
            survivors,
            uses,
            copy,
        };
        if self.sender.send(content).is_err() {
            self.queue.survivors_done(bytes);
        }
    }
}

impl std::fmt::Debug for CollectionPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CollectionPlace")
    }
}
