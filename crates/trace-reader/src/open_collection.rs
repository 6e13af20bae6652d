//! A collection while its moves are being read.

use ducktrack_trace_format::{Collection, MoveDecoder, MoveRun};

use crate::event_buffers::EventBuffers;
use crate::event_step::Epoch;

/// A collection, and its survivors read so far.
#[derive(Debug)]
pub(crate) struct OpenCollection {
    collection: Collection,
    runs: Vec<MoveRun>,
    /// All blocks of moves so far decoded.
    pub(crate) is_complete: bool,
}

impl OpenCollection {
    /// Decodes the block of a collection.
    pub(crate) fn decode(content: &[u8]) -> Option<Self> {
        Some(Self {
            collection: Collection::decode(content).ok()?,
            runs: Vec::new(),
            is_complete: true,
        })
    }

    /// Number of the collection.
    pub(crate) fn number(&self) -> u32 {
        self.collection.number
    }

    /// True when all its moves are there.
    pub(crate) fn is_whole(&self) -> bool {
        let objects = self.runs.iter().map(|run| run.objects);
        let counts = self.collection.counts;
        self.is_complete
            && objects.fold(0, u64::saturating_add) == counts.moved.saturating_add(counts.stayed)
    }

    /// Adds the content of a block of moves; false if it does not decode.
    pub(crate) fn add_moves(&mut self, content: &[u8]) -> bool {
        let before = self.runs.len();
        let good = self.decode_moves(content).is_some();
        if !good {
            self.runs.truncate(before);
            self.is_complete = false;
        }
        good
    }

    fn decode_moves(&mut self, content: &[u8]) -> Option<()> {
        for run in MoveDecoder::new(content).ok()? {
            self.runs.push(run.ok()?);
        }
        Some(())
    }

    /// The epoch that the collection ended, with the events before it.
    pub(crate) fn finish(mut self, buffers: EventBuffers) -> Epoch {
        if !self.runs.is_sorted_by_key(|run| run.from) {
            self.runs.sort_by_key(|run| run.from);
        }
        Epoch {
            buffers,
            collection: self.collection,
            runs: self.runs,
            complete: self.is_complete,
            kept: None,
        }
    }
}
