//! What the order of pieces and cuts says of each thread.
//!
//! A thread that is stopped between an allocation and its record says so in its first piece after the collection. It may be stopped
//! for several collections; then its cut that counts is the one at which it still had a buffer.

use std::collections::HashMap;

use ducktrack_trace_format::{ThreadCut, ThreadId};

/// All threads that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// Epoch of the last piece.
    pieces: HashMap<ThreadId, u32>,
    /// The last cut that counts, and its collection.
    cuts: HashMap<ThreadId, (ThreadCut, u32)>,
}

impl Threads {
    /// A piece came. True if it is the thread's first of an epoch that began with a collection.
    pub(crate) fn begins_epoch(&mut self, thread: ThreadId, epoch: u32) -> bool {
        let before = self.pieces.insert(thread, epoch);
        epoch > 0 && before != Some(epoch)
    }

    /// A collection cut the threads.
    pub(crate) fn cut_all(&mut self, collection: u32, cuts: &[ThreadCut]) {
        let pieces = &self.pieces;
        self.cuts
            .retain(|thread, (_, number)| pieces.get(thread).is_none_or(|epoch| epoch < number));
        for cut in cuts {
            if cut.top >= 8 {
                self.cuts.insert(cut.thread, (*cut, collection));
            }
        }
    }

    /// Where the thread was cut before its first event since.
    pub(crate) fn cut(&self, thread: ThreadId) -> Option<ThreadCut> {
        self.cuts.get(&thread).map(|(cut, _)| *cut)
    }

    /// True when that was at this collection.
    pub(crate) fn was_cut_at(&self, thread: ThreadId, collection: u32) -> bool {
        let cut = self.cuts.get(&thread);
        cut.is_some_and(|(_, number)| *number == collection)
    }

    /// The thread has ended.
    pub(crate) fn end(&mut self, thread: ThreadId) {
        self.pieces.remove(&thread);
        self.cuts.remove(&thread);
    }
}
