//! What the head of a piece and the cuts of its thread say of its events.

use ducktrack_trace_format::{
    Allocation, EventBlockHeader, EventFlags, Place, ThreadCut, ThreadId,
};

use crate::threads::Threads;

/// What is known of a piece's events.
#[derive(Clone, Copy, Debug)]
pub struct PieceFacts {
    /// Their thread.
    pub thread: ThreadId,
    /// Their epoch.
    pub epoch: u32,
    /// Where the thread was cut before its first event since.
    pub cut: Option<ThreadCut>,
    /// Stragglers belong to the epoch that the last collection ended.
    pub recent: bool,
}

impl PieceFacts {
    /// Of a piece that comes after this many collections.
    pub fn of(header: &EventBlockHeader, collections: u32, threads: &Threads) -> Self {
        let (thread, epoch) = (header.thread, header.epoch);
        Self {
            thread,
            epoch,
            cut: threads.cut(thread),
            recent: match header.flags.has(EventFlags::LATE) {
                true => epoch.checked_add(1) == Some(collections),
                false => threads.was_cut_at(thread, collections),
            },
        }
    }

    /// Decides whether a straddler is eliminated or a straggler.
    #[inline]
    pub fn settled(&self, allocation: Allocation) -> Allocation {
        let Place::Straddler { allocated } = allocation.place else {
            return allocation;
        };
        Allocation {
            place: ThreadCut::settle(self.cut, allocated, allocation.bytes),
            ..allocation
        }
    }
}
