//! A thread's buffer, and how it is handed over: by one thread at a time,
//! and never in the way of a pause ([`cut_marks`](super::cut_marks)).

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_hotspot::ThreadLayout;
use ducktrack_trace_format::EventFlags;
use ducktrack_trace_writer::Buffer;
use parking_lot::{Mutex, MutexGuard};

use super::cut_marks::CutMarks;
use super::event_buffer::EventBuffer;
use crate::threads::counter_block::CounterBlock;

/// A buffer of one thread after the other.
#[derive(Debug)]
pub(crate) struct ThreadBuffer {
    marks: Arc<CutMarks>,
    words: Mutex<EventBuffer>,
}

/// A buffer that is being handed over.
pub(crate) struct Handover<'a> {
    words: MutexGuard<'a, EventBuffer>,
    /// The epoch to which all its words belong.
    epoch: u32,
}

impl ThreadBuffer {
    pub(crate) fn new(words: EventBuffer) -> Self {
        Self {
            marks: Arc::clone(words.marks()),
            words: Mutex::new(words),
        }
    }

    pub(crate) fn block(&self) -> CounterBlock {
        self.marks.block()
    }

    /// Marks the writing thread as alive until it ends.
    pub(crate) fn confirm(&self, native: usize) {
        self.marks.know_thread(Some(native));
    }

    /// Cuts the buffer at the start of a pause that ends this epoch. The world is
    /// stopped. The call does not block; [`EventBuffer::take_cut`] takes the words later.
    pub(crate) fn mark_cut(&self, epoch: u32, micros: u64, layout: &ThreadLayout) {
        self.marks.put(epoch, micros, layout);
    }

    /// For all but to hand it over. Pauses must not wait for it.
    pub(crate) fn words(&self) -> MutexGuard<'_, EventBuffer> {
        self.words.lock()
    }

    /// Begins to hand it over, on its own thread, or where that writes nothing. If
    /// it [is cut](EventBuffer::is_cut) already, nothing may be taken but that.
    pub(crate) fn hand_over(&self, epoch: &AtomicU32) -> Handover<'_> {
        let words = self.words.lock();
        self.marks.begin_handover();
        Handover {
            words,
            epoch: epoch.load(Ordering::Acquire),
        }
    }
}

impl Handover<'_> {
    /// Takes the words written since the last call, if any.
    pub(crate) fn take(&mut self, flags: EventFlags) -> Option<Buffer> {
        let epoch = self.epoch;
        self.words.take(epoch, flags)
    }

    /// See [`EventBuffer::end`].
    pub(crate) fn end(&mut self, layout: &ThreadLayout) -> Option<Buffer> {
        let epoch = self.epoch;
        self.words.end(epoch, layout)
    }
}

impl Deref for Handover<'_> {
    type Target = EventBuffer;

    fn deref(&self) -> &EventBuffer {
        &self.words
    }
}

impl DerefMut for Handover<'_> {
    fn deref_mut(&mut self) -> &mut EventBuffer {
        &mut self.words
    }
}

impl Drop for Handover<'_> {
    fn drop(&mut self) {
        self.words.end_handover();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use ducktrack_probe_vocabulary::block_word::{CURSOR, FULL, LIMIT};
    use ducktrack_trace_format::ThreadId;
    use parking_lot::RwLock;

    use super::*;
    use crate::trace::buffers::event_buffer::tests::{LAYOUT, SIZES};

    fn buffer() -> ThreadBuffer {
        let block = CounterBlock::new().expect("memory");
        let mut words = EventBuffer::new(block, ThreadId(1), 0, SIZES, None);
        words.begin(None, 0);
        ThreadBuffer::new(words)
    }

    /// The thread writes an event of this many words.
    fn write(buffer: &ThreadBuffer, words: u64) {
        let block = buffer.block();
        if block.word(LIMIT) == 0 {
            block.set_word(LIMIT, block.word(FULL));
        }
        block.set_word(CURSOR, block.word(CURSOR) + 4 * words);
    }

    fn words_of(piece: Option<&Buffer>) -> (u32, usize) {
        piece.map_or((0, 0), |piece| (piece.header.epoch, piece.words.len() / 4))
    }

    #[test]
    fn a_pause_does_not_wait_for_a_handover() {
        let (buffer, epoch) = (buffer(), AtomicU32::new(7));
        write(&buffer, 5);
        let mut handover = buffer.hand_over(&epoch);
        assert!(!handover.is_cut());
        let pause = || {
            buffer.mark_cut(7, 1, &LAYOUT);
            epoch.store(8, Ordering::Release);
        };
        // Forever, if it waited.
        thread::scope(|scope| drop(scope.spawn(pause).join()));
        let piece = handover.take(EventFlags::NONE);
        handover.rewind();
        drop(handover);
        assert_eq!(words_of(piece.as_ref()), (7, 5));
        // What is written from here on is in the next epoch, and the thread sees that.
        assert_eq!(buffer.block().word(LIMIT), 0);
        write(&buffer, 3);
        let (piece, _) = buffer.words().take_cut(7).expect("a cut");
        assert_eq!(piece, None);
        let piece = buffer.hand_over(&epoch).take(EventFlags::NONE);
        assert_eq!(words_of(piece.as_ref()), (8, 3));
    }

    #[test]
    fn a_handover_that_begins_in_a_pause_finds_the_cut() {
        let (buffer, epoch) = (buffer(), AtomicU32::new(7));
        write(&buffer, 5);
        buffer.mark_cut(7, 1, &LAYOUT);
        assert!(buffer.hand_over(&epoch).is_cut());
        write(&buffer, 3);
        let (piece, _) = buffer.words().take_cut(7).expect("a cut");
        assert_eq!(words_of(piece.as_ref()), (7, 5));
        assert!(!buffer.hand_over(&epoch).is_cut());
    }

    /// A thread that writes and hands over, which goes on beside pauses; pauses, which stop its writing; and a
    /// driver, which takes what they cut off. Each word must be in the piece of the epoch in which it was written.
    #[test]
    fn each_word_is_in_its_epoch_whatever_comes_beside_what() {
        const PAUSES: u32 = 3000;
        let (buffer, epoch, world) = (buffer(), AtomicU32::new(0), RwLock::new(()));
        let (settled, ended) = (AtomicU32::new(0), AtomicBool::new(false));
        let pieces = Mutex::new(BTreeMap::<u32, usize>::new());
        let add = |piece: Option<&Buffer>| {
            let (epoch, words) = words_of(piece);
            *pieces.lock().entry(epoch).or_default() += words;
        };
        let settle = |until: u32| {
            let mut words = buffer.words();
            while settled.load(Ordering::Acquire) < until {
                let (piece, _) = words
                    .take_cut(settled.load(Ordering::Acquire))
                    .expect("a cut");
                add(piece.as_ref());
                settled.fetch_add(1, Ordering::AcqRel);
            }
        };
        let hand_over = || loop {
            let mut handover = buffer.hand_over(&epoch);
            if !handover.is_cut() {
                add(handover.take(EventFlags::NONE).as_ref());
                thread::yield_now();
                return handover.rewind();
            }
            drop(handover);
            settle(epoch.load(Ordering::Acquire));
        };
        let mut written = BTreeMap::<u32, usize>::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..PAUSES {
                    let stopped = world.write();
                    buffer.mark_cut(number, 1, &LAYOUT);
                    epoch.store(number + 1, Ordering::Release);
                    drop(stopped);
                    while settled.load(Ordering::Acquire) + 2 < number {
                        thread::yield_now();
                    }
                }
                ended.store(true, Ordering::Release);
            });
            scope.spawn(|| {
                while settled.load(Ordering::Acquire) < PAUSES {
                    settle(epoch.load(Ordering::Acquire));
                    thread::yield_now();
                }
            });
            let mut size = 0;
            while !ended.load(Ordering::Acquire) {
                for _ in 0..3 {
                    let _running = world.read();
                    size = size % 7 + 1;
                    write(&buffer, size);
                    *written.entry(epoch.load(Ordering::Acquire)).or_default() += size as usize;
                }
                hand_over();
            }
            hand_over();
        });
        pieces.lock().retain(|_, words| *words > 0);
        assert_eq!(*pieces.lock(), written);
    }
}
