//! Pauses of a concurrent collector that cut the buffers, until what they cut off is handed over.
//!
//! ```text
//! pause            notes how far each buffer was, nothing else
//! driver thread    right after it: takes what was cut off, and the collection gets its place in the log
//! ```
//!
//! A thread that empties its buffer before the driver has come does the driver's work first, so that the order of the log is that of the epochs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_trace_format::ThreadCut;
use parking_lot::Mutex;

use super::ThreadBuffers;

/// Puts the collection into the log. It is called once everything before it was handed over.
pub(crate) type PutCollection = Box<dyn FnOnce(&ThreadBuffers, Vec<ThreadCut>) + Send>;

/// A pause.
struct CutPause {
    /// The epoch that it ended.
    epoch: u32,
    put: PutCollection,
}

/// The pauses that wait for the driver.
#[derive(Default)]
pub(super) struct CutPauses {
    waiting: Mutex<VecDeque<CutPause>>,
    /// The number of pauses that wait, and of the one that is being settled.
    unsettled: AtomicUsize,
    /// Held while a pause is settled: the next one must wait.
    turn: Mutex<()>,
}

impl CutPauses {
    pub(super) fn add(&self, epoch: u32, put: PutCollection) {
        self.unsettled.fetch_add(1, Ordering::AcqRel);
        self.waiting.lock().push_back(CutPause { epoch, put });
    }

    /// True if the log has the words that were cut off in all pauses so far.
    pub(super) fn are_settled(&self) -> bool {
        self.unsettled.load(Ordering::Acquire) == 0
    }

    /// Settles all of them, the oldest first.
    pub(super) fn settle(&self, buffers: &ThreadBuffers) {
        if self.are_settled() {
            return;
        }
        let _turn = self.turn.lock();
        loop {
            let oldest = self.waiting.lock().pop_front();
            let Some(CutPause { epoch, put }) = oldest else {
                return;
            };
            let cuts = buffers.take_cuts(epoch);
            buffers.epoch_begins(epoch + 1);
            put(buffers, cuts);
            self.unsettled.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
