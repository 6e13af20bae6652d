//! What the order of pieces and cuts shows about each thread.
//!
//! A thread that is stopped between an allocation and its record reports so in its first piece after the collection. It may stay
//! stopped for several collections; then the cut that counts is the one at which it still had a buffer.

use ducktrack_trace_format::{ThreadCut, ThreadId};
use rustc_hash::FxHashMap;

/// State of all threads that have not ended.
#[derive(Debug, Default)]
pub struct Threads {
    /// Epoch of each thread's last piece.
    pieces: FxHashMap<ThreadId, u32>,
    /// For each thread that was cut: the top of its buffer after its last event.
    tops: FxHashMap<ThreadId, u64>,
    /// For each thread: the last cut that counts, and its collection.
    cuts: FxHashMap<ThreadId, (ThreadCut, u32)>,
}

impl Threads {
    /// Notes a piece. True if it is the thread's first in an epoch that began with a collection.
    pub fn begins_epoch(&mut self, thread: ThreadId, epoch: u32) -> bool {
        let before = self.pieces.insert(thread, epoch);
        epoch > 0 && before != Some(epoch)
    }

    /// Notes the top after the last event of a piece that was cut off for a collection. The agent reads an older top if the thread stands
    /// between writing its event and publishing the top.
    pub fn note_last_top(&mut self, thread: ThreadId, top: u64) {
        if top >= 8 {
            self.tops.insert(thread, top);
        }
    }

    /// A collection cut the threads: corrects their last tops.
    pub fn cut_all(&mut self, collection: u32, cuts: &mut [ThreadCut]) {
        for cut in cuts.iter_mut() {
            if let Some(top) = self.tops.remove(&cut.thread) {
                cut.last = top;
            }
        }
        self.tops.clear();
        let pieces = &self.pieces;
        self.cuts
            .retain(|thread, (_, number)| pieces.get(thread).is_none_or(|epoch| epoch < number));
        for cut in cuts {
            if cut.top >= 8 {
                self.cuts.insert(cut.thread, (*cut, collection));
            }
        }
    }

    /// The cut of the thread before its first event since.
    pub fn cut(&self, thread: ThreadId) -> Option<ThreadCut> {
        self.cuts.get(&thread).map(|(cut, _)| *cut)
    }

    /// True when that cut belongs to this collection.
    pub fn was_cut_at(&self, thread: ThreadId, collection: u32) -> bool {
        let cut = self.cuts.get(&thread);
        cut.is_some_and(|(_, number)| *number == collection)
    }

    /// Forgets a thread that has ended.
    pub fn end(&mut self, thread: ThreadId) {
        self.pieces.remove(&thread);
        self.cuts.remove(&thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thread stood between cursor and top: its event is in the piece, but the agent read the top from before it.
    #[test]
    fn a_thread_is_cut_at_the_top_of_its_last_event() {
        let cut = |thread, last| ThreadCut {
            thread: ThreadId(thread),
            top: 0x1040,
            last,
        };
        let mut threads = Threads::default();
        threads.note_last_top(ThreadId(1), 0x1040);
        threads.note_last_top(ThreadId(3), 0);
        let mut cuts = [cut(1, 0x1028), cut(2, 0x1030), cut(3, 0x1038)];
        threads.cut_all(1, &mut cuts);
        assert_eq!(cuts.map(|cut| cut.last), [0x1040, 0x1030, 0x1038]);
        let last_of_first = threads.cut(ThreadId(1)).map(|cut| cut.last);
        assert_eq!(last_of_first, Some(0x1040));
        let mut cuts = [cut(1, 0x1028)];
        threads.cut_all(2, &mut cuts);
        assert_eq!(cuts.map(|cut| cut.last), [0x1028]);
    }
}
