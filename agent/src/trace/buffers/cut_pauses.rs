//! Pauses of a concurrent collector that cut the buffers, until what they cut off is handed over.
//!
//! ```text
//! pause            marks how far each buffer was, nothing else
//! driver thread    right after it: takes what was cut off, and the collection gets its place in the log
//! ```
//!
//! A thread that empties its buffer before the driver has come does the
//! driver's work first, so that the order of the log is that of the epochs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ducktrack_hotspot::CycleStart;
use ducktrack_trace_format::ThreadCut;
use parking_lot::Mutex;

use super::ThreadBuffers;
use super::cut_marks::MOST_MARKS;

/// Pauses that wait at most. Each driver settles its own before it can bring on the next.
pub(super) const MOST_PAUSES: usize = MOST_MARKS;

/// A pause that ended an epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutPause {
    /// The number of its collection; the epoch that it ended is one less.
    pub(crate) number: u32,
    /// The cycle that counts from it on.
    pub(crate) start: Option<CycleStart>,
    pub(crate) since: Instant,
    /// When it began and ended, in microseconds since 1970.
    pub(crate) micros: (u64, u64),
    /// The time of the agent's work in it.
    pub(crate) own_nanos: u64,
}

/// Puts the collections of pauses into the log.
pub(crate) trait PutCollection: Send + Sync {
    /// Called once everything before the pause was handed over, with what it cut off.
    fn put(&self, buffers: &ThreadBuffers, pause: CutPause, cuts: Vec<ThreadCut>);
}

/// The pauses that wait for the driver.
pub(super) struct CutPauses {
    waiting: SyncSender<CutPause>,
    /// Locked while a pause is settled: the next one must wait.
    turn: Mutex<Receiver<CutPause>>,
    /// The number of pauses that wait, and of the one that is being settled.
    unsettled: AtomicUsize,
    put: OnceLock<Arc<dyn PutCollection>>,
}

impl Default for CutPauses {
    fn default() -> Self {
        let (waiting, turn) = sync_channel(MOST_PAUSES);
        Self {
            waiting,
            turn: Mutex::new(turn),
            unsettled: AtomicUsize::new(0),
            put: OnceLock::new(),
        }
    }
}

impl CutPauses {
    pub(super) fn put_by(&self, put: Arc<dyn PutCollection>) {
        // A recording begins once.
        let _ = self.put.set(put);
    }

    /// At the start of a pause: there is room for it and for its marks. Waits only if no driver has come for a while.
    pub(super) fn make_room(&self, buffers: &ThreadBuffers) {
        if self.unsettled.load(Ordering::Acquire) >= MOST_PAUSES {
            self.settle(buffers);
        }
    }

    /// Adds a pause, at its end. The call does not block.
    pub(super) fn add(&self, pause: CutPause) {
        self.unsettled.fetch_add(1, Ordering::AcqRel);
        let is_added = self.waiting.try_send(pause).is_ok();
        debug_assert!(is_added, "there is room");
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
        let turn = self.turn.lock();
        while let Ok(pause) = turn.try_recv() {
            let ended = pause.number - 1;
            let cuts = buffers.take_cuts(ended);
            buffers.epoch_begins(pause.number);
            if let Some(put) = self.put.get() {
                put.put(buffers, pause, cuts);
            }
            self.unsettled.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
