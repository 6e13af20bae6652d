//! A thread's buffer of allocation events: memory in its block, and what was handed over of it.
//!
//! ```text
//! start        taken          cursor       full        end
//!   | handed over | to be taken  |            |  slack   |
//! ```
//!
//! The thread writes words at the cursor (`helper/java/lang/DuckTrackEventBuffer.java`, which also lists the words of the block's header used
//! here). A full buffer is emptied by its thread, in native code. At the start of a collection the VM's thread takes what is there, while the
//! thread may stand in the middle of a probe: it only sets the limit to 0.
//!
//! What is needed to read the buffer after the process was killed stands in the block's header as well ([`ducktrack_trace_format::live`]). Of the words there,
//! `taken` comes last when words are handed over: what is above it is told by the others.

use std::sync::Arc;

use ducktrack_hotspot::{Address, ThreadLayout};
use ducktrack_trace_format::{
    EventBlockHeader, EventFlags, EventWords, LivePiece, ThreadCut, ThreadId, live,
};
use ducktrack_trace_writer::{Buffer, BufferWords};

use crate::process::clock::unix_micros;
use crate::threads::counter_block::{CounterBlock, EVENTS_BYTES, EVENTS_OFFSET};
use crate::trace::live_events::LiveEvents;

const LAST: usize = 8;
const CURSOR: usize = live::CURSOR;
const LIMIT: usize = 10;
const SAVED: usize = 11;
const BASE: usize = 12;
/// Events that found no room; in the shared block: of threads without a block.
pub(crate) const DROPPED: usize = 13;
const FULL: usize = 14;
const END: usize = 15;
const CUT: usize = 16;
const OWNER: usize = 17;
/// With CURSOR, the thread's position: its number, and the bytes of words that it has written so far, with one word more for each cut.
const BIAS: usize = 18;

/// Bits of a position that count bytes.
const POSITION_BITS: u32 = 44;

/// Lower tops are those of threads without an allocation buffer.
const FIRST_ADDRESS: u64 = 8;
/// No thread has allocated so much: a collection has not cut the buffer yet.
const NOT_CUT: u64 = u64::MAX;
/// Of the block that threads share: above its limit.
const SHARED_CURSOR: u64 = 8;
/// Bytes after the limit for events that cannot wait.
const SLACK: usize = 4 << 10;
/// Larger buffers would make the check for room a branch of its own.
pub(crate) const MOST_BYTES: usize = 32 << 10;

/// How large buffers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BufferSizes {
    /// The mean.
    pub(crate) bytes: usize,
    /// By which part of it they differ.
    pub(crate) deviation: f64,
}

/// A buffer and its thread.
#[derive(Debug)]
pub(crate) struct EventBuffer {
    block: CounterBlock,
    thread: ThreadId,
    /// The native thread, while it certainly lives.
    native: Option<usize>,
    taken: u64,
    /// Words that were handed over in all.
    position: u64,
    /// Collections that cut the buffer.
    cuts: u64,
    /// The thread has ended; its block waits for another one.
    has_ended: bool,
    begun: u64,
    last_top: u64,
    /// No word was handed over since the thread began, or since a collection cut the buffer.
    was_cut: bool,
    /// Where the thread's allocation buffer stood at the collection that cut it, and at the last event before. Zeros: it had none, or words came since.
    cut: (u64, u64),
    /// Where pieces survive the process.
    live: Option<Arc<LiveEvents>>,
    sizes: BufferSizes,
    random: u64,
}

impl EventBuffer {
    /// The buffer in a block; `owner` is the number that the block will tell.
    pub(crate) fn new(
        block: CounterBlock,
        thread: ThreadId,
        owner: usize,
        sizes: BufferSizes,
        live: Option<Arc<LiveEvents>>,
    ) -> Self {
        let start = (block.address() + EVENTS_OFFSET) as u64;
        block.set_word(END, start + EVENTS_BYTES as u64);
        block.set_word(OWNER, owner as u64 + 1);
        Self {
            block,
            thread,
            native: None,
            taken: start,
            position: 0,
            cuts: 0,
            has_ended: false,
            begun: unix_micros(),
            last_top: 0,
            was_cut: true,
            cut: (0, 0),
            live,
            sizes,
            random: start | 1,
        }
    }

    /// A thread begins to write. It has allocated `told` bytes before of which nothing will be told.
    pub(crate) fn begin(&mut self, native: Option<usize>, told: u64) {
        self.native = native;
        self.has_ended = false;
        self.block.set_word(LAST, 0);
        self.block.set_word(BASE, told);
        self.block.set_word(SAVED, 0);
        self.block.set_word(CUT, NOT_CUT);
        self.block.set_word(LIMIT, 0);
        self.last_top = 0;
        self.was_cut = true;
        self.cut = (0, 0);
        self.rewind();
        self.block.set_word(live::OWNER, self.thread.0.into());
    }

    /// The thread and its position in words, while the thread has not ended.
    pub(crate) fn thread_position(&self) -> Option<(ThreadId, u64)> {
        let position = self.block.word(CURSOR).wrapping_add(self.block.word(BIAS));
        let words = (position & ((1 << POSITION_BITS) - 1)) / 4;
        (!self.has_ended).then_some((self.thread, words))
    }

    /// The thread that writes is alive until it says that it ends.
    pub(crate) fn confirm(&mut self, native: usize) {
        self.native = Some(native);
    }

    pub(crate) fn block(&self) -> CounterBlock {
        self.block
    }

    /// What was written since the last time, if there is anything. The thread stands still, or is here itself.
    pub(crate) fn take(&mut self, epoch: u32, flags: EventFlags) -> Option<Buffer> {
        self.take_with(epoch, flags, EventWords::new())
    }

    /// The same, with more words after them.
    fn take_with(&mut self, epoch: u32, flags: EventFlags, more: EventWords) -> Option<Buffer> {
        let cursor = self.block.word(CURSOR);
        // SAFETY: the thread writes at the cursor and after it.
        let words = unsafe { self.block.event_bytes(self.taken as usize, cursor as usize) };
        let now = unix_micros();
        let header = EventBlockHeader {
            thread: self.thread,
            epoch,
            begun: self.begun,
            handed_over: now,
            flags,
            last_top: self.last_top,
        };
        let words = match more.as_bytes() {
            [] => self.keep(header, words),
            more => self.keep(header, &[words, more].concat()),
        };
        self.taken = cursor;
        self.position += words.len() as u64 / 4;
        self.begun = now;
        self.last_top = self.block.word(LAST);
        if !words.is_empty() {
            self.was_cut = false;
            self.cut = (0, 0);
        }
        self.tell_taken();
        (!words.is_empty() || flags.has(EventFlags::THREAD_ENDED))
            .then_some(Buffer { header, words })
    }

    /// A copy that survives the process, if that can be had.
    fn keep(&self, header: EventBlockHeader, words: &[u8]) -> BufferWords {
        let Some(live) = self.live.as_ref().filter(|_| !words.is_empty()) else {
            return words.to_vec().into();
        };
        let piece = LivePiece {
            header,
            behind_cut: self.was_cut,
            cut: self.cut,
            position: self.position,
            // A buffer is far smaller.
            bytes: words.len() as u32,
        };
        live.keep(&piece, words)
    }

    /// For the reader of a killed process.
    fn tell_taken(&self) {
        let block = self.block;
        block.set_word(live::LAST_TOP, self.last_top);
        block.set_word(live::BEGUN, self.begun);
        block.set_word(live::WAS_CUT, self.was_cut.into());
        block.set_word(live::CUT_TOP, self.cut.0);
        block.set_word(live::CUT_LAST, self.cut.1);
        block.release_word(live::TAKEN, self.taken);
    }

    /// Where the thread's allocation buffer stood at its last event; `None` where that may have been before the last collection.
    pub(crate) fn top_of_this_epoch(&self) -> Option<u64> {
        let last = self.block.word(LAST);
        (self.block.word(LIMIT) != 0 && last >= FIRST_ADDRESS).then_some(last)
    }

    /// All words were taken: the thread, which is here itself, begins at the start again.
    pub(crate) fn rewind(&mut self) {
        let start = (self.block.address() + EVENTS_OFFSET) as u64;
        let full = start + self.next_size();
        self.block.set_word(FULL, full);
        // A cursor below `taken` says that there are no words; so in this order.
        self.block.release_word(CURSOR, start);
        let position = (self.position + self.cuts) * 4;
        let of_thread = u64::from(self.thread.0) << POSITION_BITS;
        self.block
            .set_word(BIAS, of_thread.wrapping_add(position).wrapping_sub(start));
        self.block.release_word(live::POSITION, self.position);
        self.taken = start;
        self.tell_taken();
        if self.block.word(LIMIT) != 0 {
            self.block.set_word(LIMIT, full);
        }
    }

    /// Events of this thread that the trace does not have; said ahead of its next event.
    pub(crate) fn add_dropped(&self, count: u64) {
        self.block
            .set_word(DROPPED, self.block.word(DROPPED).wrapping_add(count));
    }

    /// A collection begins. The world is stopped.
    pub(crate) fn cut(&mut self, epoch: u32, layout: &ThreadLayout) -> (Option<Buffer>, ThreadCut) {
        let piece = self.take(epoch, EventFlags::CUT);
        let mut top = 0;
        if let Some(native) = self.native {
            // SAFETY: the thread is alive: it would have said here that it ends, and it stands still.
            top = unsafe { layout.tlab(Address(native)) }.top.0 as u64;
            // SAFETY: the thread is alive and stands still, as for its buffer above.
            let allocated = unsafe { layout.cooked_allocated_bytes(Address(native)) };
            self.block.set_word(CUT, allocated);
        }
        self.was_cut = true;
        if top >= FIRST_ADDRESS {
            self.cut = (top, self.last_top);
        }
        self.tell_taken();
        self.move_on();
        self.block.set_word(LIMIT, 0);
        let cut = ThreadCut {
            thread: self.thread,
            top,
            last: self.last_top,
        };
        (piece, cut)
    }

    /// What comes now is after the collection, also where no word is written in between.
    fn move_on(&mut self) {
        self.cuts += 1;
        let bias = self.block.word(BIAS).wrapping_add(4);
        self.block.set_word(BIAS, bias);
    }

    /// The thread ends, or the program does: the rest, and what the thread allocated after its last event.
    pub(crate) fn end(&mut self, epoch: u32, layout: &ThreadLayout) -> Option<Buffer> {
        let flags = EventFlags::CUT.with(EventFlags::THREAD_ENDED);
        let mut rest = EventWords::new();
        self.has_ended = true;
        if let Some(native) = self.native.take() {
            // SAFETY: the thread runs this, or it is alive and its allocations may be a moment old.
            let allocated = unsafe { layout.cooked_allocated_bytes(Address(native)) };
            let told = self.block.word(LAST).wrapping_add(self.block.word(BASE));
            let dropped = self.block.word(DROPPED);
            if dropped > 0 {
                rest = rest.dropped(dropped);
            }
            if allocated > told {
                rest = rest.moved(allocated - told);
            }
        }
        let piece = self.take_with(epoch, flags, rest)?;
        self.block.set_word(DROPPED, 0);
        self.block.set_word(LIMIT, 0);
        (!piece.words.is_empty()).then_some(piece)
    }

    /// Sizes differ, so that threads that do the same do not hand over at the same time.
    fn next_size(&mut self) -> u64 {
        // xorshift64 (Marsaglia 2003)
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let unit = (self.random >> 11) as f64 / (1u64 << 53) as f64;
        let factor = 1.0 + self.sizes.deviation * (2.0 * unit - 1.0);
        let most = MOST_BYTES.min(EVENTS_BYTES - SLACK) as f64;
        let bytes = (self.sizes.bytes as f64 * factor).clamp(64.0, most - 8.0);
        (bytes as u64) & !3
    }
}

/// The block that threads without one share has no buffer.
pub(crate) fn without_buffer(block: CounterBlock) {
    block.set_word(CURSOR, SHARED_CURSOR);
}

/// The position of threads without a block: no thread, and one word more than there were collections.
pub(crate) fn set_shared_position(block: CounterBlock, epoch: u32) {
    let position = (u64::from(epoch) + 1) * 4;
    block.set_word(BIAS, position.wrapping_sub(SHARED_CURSOR));
}

/// The number of the buffer in a block.
pub(crate) fn owner(block: CounterBlock) -> Option<usize> {
    usize::try_from(block.word(OWNER)).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the helper class calls the words of a block's header: `static final long LAST = 8 * 8;`.
    const HELPER: &str = include_str!("../../helper/java/lang/DuckTrackEventBuffer.java");

    #[test]
    fn the_helper_class_has_the_words_of_the_header_in_the_same_places() {
        let words = [
            ("LAST", LAST),
            ("CURSOR", CURSOR),
            ("LIMIT", LIMIT),
            ("SAVED", SAVED),
            ("BASE", BASE),
            ("DROPPED", DROPPED),
            ("FULL", FULL),
            ("END", END),
            ("CUT", CUT),
            ("OWNER", OWNER),
            ("BIAS", BIAS),
            ("BEGUN", live::BEGUN),
        ];
        for (name, index) in words {
            let declaration = format!("static final long {name} = {index} * 8;");
            assert!(HELPER.contains(&declaration), "{declaration}");
        }
    }

    const SIZES: BufferSizes = BufferSizes {
        bytes: 1024,
        deviation: 0.5,
    };

    fn buffer() -> EventBuffer {
        let block = CounterBlock::new().expect("memory");
        let mut buffer = EventBuffer::new(block, ThreadId(1), 4, SIZES, None);
        buffer.begin(None, 0);
        buffer
    }

    fn write(buffer: &EventBuffer, bytes: u64, last: u64) {
        let cursor = buffer.block.word(CURSOR) + bytes;
        buffer.block.set_word(CURSOR, cursor);
        buffer.block.set_word(LAST, last);
    }

    #[test]
    fn every_word_is_taken_once_with_the_top_before_it() {
        let mut buffer = buffer();
        assert_eq!(owner(buffer.block), Some(4));
        assert!(buffer.take(0, EventFlags::NONE).is_none());
        write(&buffer, 12, 800);
        let first = buffer.take(0, EventFlags::CUT).expect("words");
        write(&buffer, 8, 840);
        let second = buffer.take(1, EventFlags::NONE).expect("words");
        assert_eq!((first.words.len(), first.header.last_top), (12, 0));
        assert_eq!((second.words.len(), second.header.last_top), (8, 800));
        buffer.rewind();
        assert!(buffer.take(1, EventFlags::NONE).is_none());
    }

    #[test]
    fn positions_go_on_over_cuts_and_rewinds() {
        let mut buffer = buffer();
        let now = |buffer: &EventBuffer| buffer.thread_position().expect("a thread");
        assert_eq!(now(&buffer), (ThreadId(1), 0));
        write(&buffer, 12, 800);
        assert_eq!(now(&buffer).1, 3);
        let number = buffer
            .block
            .word(CURSOR)
            .wrapping_add(buffer.block.word(BIAS));
        assert_eq!(number, 1 << 44 | 12);
        buffer.move_on();
        assert_eq!(now(&buffer).1, 4);
        write(&buffer, 8, 840);
        let _ = buffer.take(1, EventFlags::NONE);
        assert_eq!(now(&buffer).1, 6);
        buffer.rewind();
        assert_eq!(now(&buffer).1, 6);
    }

    #[test]
    fn a_cut_stays_until_the_thread_has_seen_it() {
        let mut buffer = buffer();
        buffer.rewind();
        assert_eq!(buffer.block.word(LIMIT), 0);
        buffer.block.set_word(LIMIT, buffer.block.word(FULL));
        buffer.rewind();
        assert_eq!(buffer.block.word(LIMIT), buffer.block.word(FULL));
    }

    #[test]
    fn sizes_differ_within_their_bounds() {
        let mut buffer = buffer();
        let mut sizes: Vec<u64> = (0..1000).map(|_| buffer.next_size()).collect();
        assert!(sizes.iter().all(|size| (508..=1536).contains(size)));
        let mean = sizes.iter().sum::<u64>() / 1000;
        assert!((950..1100).contains(&mean), "{mean}");
        sizes.sort_unstable();
        sizes.dedup();
        assert!(sizes.len() > 100);
    }

    #[test]
    fn a_thread_without_a_block_always_goes_the_slow_way() {
        let block = CounterBlock::new().expect("memory");
        without_buffer(block);
        assert!(block.word(LIMIT) < block.word(CURSOR));
        assert_eq!(owner(block), None);
    }
}
