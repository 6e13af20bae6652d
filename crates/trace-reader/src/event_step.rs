//! What event files say, step by step.

use ducktrack_trace_format::{BlockKind, Collection, EventFile, KeptCollection, MoveRun};

use crate::event_buffers::{EventBuffers, FileNumber};

/// The next thing that event files say. What stands between two collections is one step, however large.
#[derive(Debug)]
#[non_exhaustive]
pub enum EventStep {
    /// A file begins.
    File {
        /// Its name.
        name: String,
        /// Its length.
        bytes: u64,
        /// Its first block; `None` when that is lost.
        header: Option<EventFile>,
    },
    /// A part of the synchronization point of the file; see [`SyncDecoder`](ducktrack_trace_format::SyncDecoder).
    Sync(EventContent),
    /// An epoch ended by a collection.
    Epoch(Box<Epoch>),
    /// Found objects that are explained now; see [`decode_explained`](ducktrack_trace_format::decode_explained).
    Explained(EventContent),
    /// What a later mode says of a thread or of the collection before; see [`ExtensionBlock`](ducktrack_trace_format::ExtensionBlock). Who does not know the
    /// kind leaves it out.
    Extension(BlockKind, EventContent),
    /// Blocks are missing at this place; [`EventFiles::damage`](crate::EventFiles::damage) has the details.
    Damaged,
    /// The events after the last collection; nothing follows.
    End(EventBuffers),
}

/// The events between two collections, and the collection that ended them.
#[derive(Debug)]
pub struct Epoch {
    /// The events before the collection.
    pub buffers: EventBuffers,
    /// The collection.
    pub collection: Collection,
    /// Its survivors, in ascending order of where they were.
    pub runs: Vec<MoveRun>,
    /// False: a block of survivors does not decode.
    pub complete: bool,
    /// The agent was killed before it had written the collection, and had kept it: survivors of which nobody has said yet which ones events explain. `collection`
    /// is one without moves then.
    pub kept: Option<KeptCollection>,
}

/// The expanded content of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventContent {
    pub(crate) file: FileNumber,
    pub(crate) at: u64,
    /// The bytes.
    pub content: Vec<u8>,
}
