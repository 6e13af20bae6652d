//! The marks by which pauses cut a thread's buffer. A pause waits for no thread: neither for one that hands
//! over the buffer, nor for one that takes what was cut off. Either may hold the buffer's lock without a core.
//!
//! ```text
//! in the pause                            the buffer's words                       who completes the mark, and changes the words
//! the buffer is not being handed over     its thread does not write: it is         the pause
//!                                         stopped, or runs native code
//! it is being handed over                 change now, beside the pause             who hands it over, before anything else is written
//! ```
//!
//! Why no order is lost: a buffer is handed over in native code, by its own thread, which writes no event meanwhile (or when
//! it begins or ends). So all words in it are from before the pause, and none comes after it before the mark is completed.
//!
//! - The pause adds a [`MARK`] to the state before it looks at anything, and takes it away when its mark is complete. To hand over begins
//!   with a state of 0 and ends with one of [`HANDOVER`] alone. So exactly one of the two finds the other there and leaves the mark to it.
//! - The epoch is read after the handover has begun, and marks are looked for after that: a thread that reads
//!   the next epoch also sees the mark of the pause that began it, and begins anew once that was taken.
//! - A thread that ends cannot be gone before the pause is over: HotSpot lets no thread leave its list
//!   meanwhile (`ThreadsSMRSupport`, `Threads_lock`). So the native thread that the pause reads is there.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use ducktrack_hotspot::{Address, ThreadLayout};
use ducktrack_probe_vocabulary::block_word::{BIAS, CURSOR, CUT, LAST, LIMIT};

use crate::threads::counter_block::CounterBlock;

/// Marks of a buffer that wait at most: [`CutPauses`](super::cut_pauses::CutPauses) has no more.
pub(super) const MOST_MARKS: usize = 4;

const HANDOVER: u64 = 1;
const MARK: u64 = 2;

/// A buffer as it was when a pause cut it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutMark {
    /// The epoch that ended.
    pub(crate) epoch: u32,
    /// The cursor of the buffer, and the TLAB top at the last event. `None` until the mark is complete.
    words: Option<(u64, u64)>,
    /// The TLAB top at the pause; 0: the thread is not known.
    pub(crate) top: u64,
    allocated: Option<u64>,
    pub(crate) micros: u64,
}

/// The part of a buffer that pauses use.
#[derive(Debug)]
pub(crate) struct CutMarks {
    block: CounterBlock,
    state: AtomicU64,
    /// The native thread, while it is known to be alive; else 0.
    native: AtomicUsize,
    /// Collections that cut the buffer.
    cuts: AtomicU64,
    marks: SyncSender<CutMark>,
}

impl CutMark {
    /// The cursor of the buffer, and the TLAB top at the last event.
    pub(crate) fn words(&self) -> (u64, u64) {
        self.words.unwrap_or_default()
    }
}

impl CutMarks {
    /// No marks, and where they will be taken from.
    pub(crate) fn new(block: CounterBlock) -> (Self, Receiver<CutMark>) {
        let (marks, taken) = sync_channel(MOST_MARKS);
        let new = Self {
            block,
            state: AtomicU64::new(0),
            native: AtomicUsize::new(0),
            cuts: AtomicU64::new(0),
            marks,
        };
        (new, taken)
    }

    pub(crate) fn block(&self) -> CounterBlock {
        self.block
    }

    /// The number of collections that cut the buffer.
    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::Relaxed)
    }

    /// The thread is alive until [`CutMarks::forget_thread`].
    pub(crate) fn know_thread(&self, native: Option<usize>) {
        self.native.store(native.unwrap_or(0), Ordering::Release);
    }

    /// The thread, if it was known to be alive. It may be gone soon.
    pub(crate) fn forget_thread(&self) -> Option<usize> {
        let native = self.native.swap(0, Ordering::AcqRel);
        (native != 0).then_some(native)
    }

    /// Marks the buffer as cut by a pause that ends this epoch. The world is stopped.
    pub(crate) fn put(&self, epoch: u32, micros: u64, layout: &ThreadLayout) {
        let before = self.state.fetch_add(MARK, Ordering::SeqCst);
        let mut mark = CutMark {
            epoch,
            words: None,
            top: 0,
            allocated: None,
            micros,
        };
        let native = self.native.load(Ordering::Acquire);
        if native != 0 {
            // SAFETY: the thread is alive until the pause ends: it has not yet removed itself here. It allocates nothing meanwhile.
            mark.top = unsafe { layout.tlab(Address(native)) }.top.0 as u64;
            // SAFETY: the same thread, alive until the pause ends; its counters of bytes are in its structure.
            mark.allocated = Some(unsafe { layout.cooked_allocated_bytes(Address(native)) });
        }
        let is_left = before & HANDOVER != 0;
        if !is_left {
            self.complete(&mut mark);
        }
        let is_put = self.marks.try_send(mark).is_ok();
        debug_assert!(is_put, "more marks than pauses that wait");
        if !is_left {
            self.state.fetch_sub(MARK, Ordering::SeqCst);
        }
    }

    /// Notes the words that are before the pause, and marks what follows as after it, even if no word is written in between.
    fn complete(&self, mark: &mut CutMark) {
        let block = self.block;
        mark.words = Some((block.word(CURSOR), block.word(LAST)));
        if let Some(allocated) = mark.allocated {
            block.set_word(CUT, allocated);
        }
        self.cuts.fetch_add(1, Ordering::Relaxed);
        block.set_word(BIAS, block.word(BIAS).wrapping_add(4));
        block.set_word(LIMIT, 0);
    }

    /// Completes a mark that was taken, if the pause left it. A thread that
    /// has ended meanwhile counts as one that had ended before the pause.
    pub(crate) fn complete_if_left(&self, mark: &mut CutMark) {
        if mark.words.is_none() {
            if self.native.load(Ordering::Acquire) == 0 {
                (mark.top, mark.allocated) = (0, None);
            }
            self.complete(mark);
            self.state.fetch_sub(MARK, Ordering::SeqCst);
        }
    }

    /// From here on, pauses leave their marks to the caller.
    pub(crate) fn begin_handover(&self) {
        let state = &self.state;
        while state
            .compare_exchange(0, HANDOVER, Ordering::SeqCst, Ordering::SeqCst)
            .is_err()
        {
            // A pause is about to put its mark.
            std::thread::yield_now();
        }
    }

    /// Ends the handover, unless a pause has left a mark meanwhile or is about to.
    pub(crate) fn has_ended_handover(&self) -> bool {
        let state = &self.state;
        state
            .compare_exchange(HANDOVER, 0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}
