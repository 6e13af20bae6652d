//! The content of event files, step by step.

use ducktrack_trace_format::{BlockKind, Collection, EventFile, KeptCollection, MoveRun};

use crate::event_buffers::{EventBuffers, FileNumber};

/// The next part of the event files. Everything between two collections is one step, however large.
#[derive(Debug)]
#[non_exhaustive]
pub enum EventStep {
    /// A file begins.
    File {
        /// Name of the file.
        name: String,
        /// Length of the file.
        bytes: u64,
        /// Its first block; `None` if that is lost.
        header: Option<EventFile>,
    },
    /// A part of the synchronization point of the file; see [`SyncDecoder`](ducktrack_trace_format::SyncDecoder).
    Sync(EventContent),
    /// An epoch, and the collection that ended it.
    Epoch(Box<Epoch>),
    /// Found objects that are explained now; see [`decode_explained`](ducktrack_trace_format::decode_explained).
    Explained(EventContent),
    /// Extension data about a thread or about the previous collection; see [`ExtensionBlock`](ducktrack_trace_format::ExtensionBlock).
    /// Readers skip kinds that they do not know.
    Extension(BlockKind, EventContent),
    /// Blocks are missing here; [`EventFiles::damage`](crate::EventFiles::damage) has the details.
    Damaged,
    /// The events after the last collection; no step follows.
    End(EventBuffers),
}

/// The events between two collections, and the collection that ended them.
#[derive(Debug)]
pub struct Epoch {
    /// The events before the collection.
    pub buffers: EventBuffers,
    /// The collection.
    pub collection: Collection,
    /// Its survivors, ascending by old address.
    pub runs: Vec<MoveRun>,
    /// False if a block of survivors does not decode.
    pub complete: bool,
    /// The agent was killed before it had written the collection, but had a copy of it. Which of these survivors the events explain has not
    /// been worked out. `collection` then has no moves.
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
