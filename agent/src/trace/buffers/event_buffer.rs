//! A thread's buffer of allocation events, in its block.
//!
//! ```text
//! start        taken          cursor       full        end
//!   | handed over | to be taken  |            |  slack   |
//! ```
//!
//! The thread writes words at the cursor (`helper/java/lang/DuckTrackEventBuffer.java`; the words of the block are in
//! the crate `probe-vocabulary`). A thread empties its own full buffer, in native code. At the start of a collection
//! the VM thread takes the contents, while the thread may be in the middle of a probe, so it only sets the limit to 0.
//!
//! The block's header also has what is needed to read the buffer after the process was killed ([`ducktrack_trace_format::live`]). When
//! words are handed over, `taken` is written last: the other words describe what lies above it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use ducktrack_hotspot::{Address, ThreadLayout};
use ducktrack_probe_vocabulary::block_word::{
    self, BASE, BIAS, BUFFER, CURSOR, CUT, END, FULL, LAST, LIMIT, SAVED,
};
use ducktrack_trace_format::{
    EventBlockHeader, EventFlags, EventWords, LivePiece, ThreadCut, ThreadId, live,
};
use ducktrack_trace_writer::{Buffer, BufferWords};

use crate::process::clock::unix_micros;
use crate::threads::counter_block::{CounterBlock, EVENTS_BYTES, EVENTS_OFFSET};
use crate::trace::buffers::cut_marks::{CutMark, CutMarks};
use crate::trace::buffers::live_events::LiveEvents;
use crate::trace::buffers::record_clock;

/// Events that found no room. In the shared block: events of threads without a block.
pub(crate) const DROPPED: usize = block_word::DROPPED;

/// Bits of a position that hold the bytes.
const POSITION_BITS: u32 = 44;

/// Lower tops belong to threads without a TLAB.
const FIRST_ADDRESS: u64 = 8;
/// Larger than any allocated byte count: no collection has cut the buffer yet.
const NOT_CUT: u64 = u64::MAX;
/// The cursor of the shared block: above its limit.
const SHARED_CURSOR: u64 = 8;
/// Bytes after the limit, for events that cannot wait.
const SLACK: usize = 4 << 10;
/// With larger buffers, the check for room would need its own branch.
pub(crate) const MOST_BYTES: usize = 32 << 10;

/// The sizes of buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BufferSizes {
    /// The mean size in bytes.
    pub(crate) bytes: usize,
    /// The relative deviation from it.
    pub(crate) deviation: f64,
}

/// A buffer and its thread.
#[derive(Debug)]
pub(crate) struct EventBuffer {
    block: CounterBlock,
    thread: ThreadId,
    taken: u64,
    /// Words handed over in total.
    position: u64,
    /// The thread has ended, and its block waits for another one.
    has_ended: bool,
    begun: u64,
    last_top: u64,
    /// No word was handed over since the thread began or since a collection cut the buffer.
    was_cut: bool,
    /// The TLAB top at the collection that cut the buffer, and at the last event
    /// before. Zeros if there was no TLAB, or if words were written since.
    cut: (u64, u64),
    marks: Arc<CutMarks>,
    /// Where pauses put their marks.
    marked: Receiver<CutMark>,
    /// Cuts whose words were not taken yet, the oldest first.
    pending: VecDeque<CutMark>,
    /// Where pieces are kept so that they survive the process.
    live: Option<Arc<LiveEvents>>,
    sizes: BufferSizes,
    random: u64,
}

impl EventBuffer {
    /// The buffer in a block. `owner` is the number stored in the block.
    pub(crate) fn new(
        block: CounterBlock,
        thread: ThreadId,
        owner: usize,
        sizes: BufferSizes,
        live: Option<Arc<LiveEvents>>,
    ) -> Self {
        let start = (block.address() + EVENTS_OFFSET) as u64;
        block.set_word(END, start + EVENTS_BYTES as u64);
        block.set_word(BUFFER, owner as u64 + 1);
        let begun = unix_micros();
        record_clock::keep_up(begun);
        let (marks, marked) = CutMarks::new(block);
        Self {
            block,
            thread,
            taken: start,
            position: 0,
            has_ended: false,
            begun,
            last_top: 0,
            was_cut: true,
            cut: (0, 0),
            marks: Arc::new(marks),
            marked,
            pending: VecDeque::new(),
            live,
            sizes,
            random: start | 1,
        }
    }

    /// A thread begins to write. `unreported`: bytes it allocated before recording began.
    pub(crate) fn begin(&mut self, native: Option<usize>, unreported: u64) {
        self.marks.know_thread(native);
        self.has_ended = false;
        self.block.set_word(LAST, 0);
        self.block.set_word(BASE, unreported);
        self.block.set_word(SAVED, 0);
        self.block.set_word(CUT, NOT_CUT);
        self.block.set_word(LIMIT, 0);
        self.last_top = 0;
        self.was_cut = true;
        self.cut = (0, 0);
        self.rewind();
        record_clock::forget_writer(self.block.address() as u64);
        self.block.set_word(live::OWNER, self.thread.0.into());
    }

    /// The thread and its position in words, until the thread ends.
    pub(crate) fn thread_position(&self) -> Option<(ThreadId, u64)> {
        let position = self.block.word(CURSOR).wrapping_add(self.block.word(BIAS));
        let words = (position & ((1 << POSITION_BITS) - 1)) / 4;
        (!self.has_ended).then_some((self.thread, words))
    }

    /// Where pauses mark that they have cut the buffer.
    pub(crate) fn marks(&self) -> &Arc<CutMarks> {
        &self.marks
    }

    /// Takes the words written since the last call, if any. The thread must be stopped, or be the calling one.
    pub(crate) fn take(&mut self, epoch: u32, flags: EventFlags) -> Option<Buffer> {
        self.take_with(epoch, flags, EventWords::new())
    }

    /// The same, followed by more words.
    fn take_with(&mut self, epoch: u32, flags: EventFlags, more: EventWords) -> Option<Buffer> {
        debug_assert!(
            self.pending.is_empty(),
            "words before a cut are taken first"
        );
        let now = unix_micros();
        record_clock::keep_up(now);
        let until = (self.block.word(CURSOR), self.block.word(LAST), now);
        self.take_until(until, epoch, flags, more)
    }

    /// Takes the words below `cursor`; `last`: the TLAB top at the last event there.
    fn take_until(
        &mut self,
        (cursor, last, now): (u64, u64, u64),
        epoch: u32,
        flags: EventFlags,
        more: EventWords,
    ) -> Option<Buffer> {
        // SAFETY: the thread writes only at the cursor and above.
        let words = unsafe { self.block.event_bytes(self.taken as usize, cursor as usize) };
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
        self.last_top = last;
        if !words.is_empty() {
            self.was_cut = false;
            self.cut = (0, 0);
        }
        self.write_taken();
        (!words.is_empty() || flags.has(EventFlags::THREAD_ENDED))
            .then_some(Buffer { header, words })
    }

    /// Copies words to where they survive the process, if possible.
    fn keep(&self, header: EventBlockHeader, words: &[u8]) -> BufferWords {
        let Some(live) = self.live.as_ref().filter(|_| !words.is_empty()) else {
            return words.to_vec().into();
        };
        let piece = LivePiece {
            header,
            after_cut: self.was_cut,
            cut: self.cut,
            position: self.position,
            // A buffer is far smaller than 4 GB.
            bytes: words.len() as u32,
        };
        live.keep(&piece, words)
    }

    /// Records the state for readers of a killed process's file.
    fn write_taken(&self) {
        let block = self.block;
        block.set_word(live::LAST_TOP, self.last_top);
        block.set_word(live::BEGUN, self.begun);
        block.set_word(live::WAS_CUT, self.was_cut.into());
        block.set_word(live::CUT_TOP, self.cut.0);
        block.set_word(live::CUT_LAST, self.cut.1);
        block.release_word(live::TAKEN, self.taken);
    }

    /// The TLAB top at the thread's last event; `None` if that may have been before the last collection.
    pub(crate) fn top_of_this_epoch(&self) -> Option<u64> {
        let last = self.block.word(LAST);
        (self.block.word(LIMIT) != 0 && last >= FIRST_ADDRESS).then_some(last)
    }

    /// Restarts at the beginning of the buffer, after all words were taken. Called on the buffer's own thread.
    pub(crate) fn rewind(&mut self) {
        let start = (self.block.address() + EVENTS_OFFSET) as u64;
        let full = start + self.next_size();
        self.block.set_word(FULL, full);
        // A cursor below `taken` means that there are no words, so the order matters.
        self.block.release_word(CURSOR, start);
        let position = (self.position + self.marks.cuts()) * 4;
        let of_thread = u64::from(self.thread.0) << POSITION_BITS;
        self.block
            .set_word(BIAS, of_thread.wrapping_add(position).wrapping_sub(start));
        self.block.release_word(live::POSITION, self.position);
        self.taken = start;
        self.write_taken();
        if self.block.word(LIMIT) != 0 {
            self.block.set_word(LIMIT, full);
        }
    }

    /// Counts events missing in the trace; reported before the thread's next event.
    pub(crate) fn add_dropped(&self, count: u64) {
        self.block
            .set_word(DROPPED, self.block.word(DROPPED).wrapping_add(count));
    }

    /// Takes the words before the oldest cut, if that ended this epoch.
    /// `None`: this buffer was not cut then. The thread may go on meanwhile.
    pub(crate) fn take_cut(&mut self, epoch: u32) -> Option<(Option<Buffer>, ThreadCut)> {
        self.take_marks();
        let cut = self.pending.pop_front_if(|cut| cut.epoch == epoch)?;
        let (cursor, last) = cut.words();
        let until = (cursor, last, cut.micros);
        let piece = self.take_until(until, epoch, EventFlags::CUT, EventWords::new());
        self.was_cut = true;
        if cut.top >= FIRST_ADDRESS {
            self.cut = (cut.top, self.last_top);
        }
        self.write_taken();
        let cut = ThreadCut {
            thread: self.thread,
            top: cut.top,
            last: self.last_top,
        };
        Some((piece, cut))
    }

    /// Whether a cut waits.
    pub(crate) fn is_cut(&mut self) -> bool {
        self.take_marks();
        !self.pending.is_empty()
    }

    /// Takes the marks of pauses.
    fn take_marks(&mut self) {
        while let Ok(mut mark) = self.marked.try_recv() {
            self.marks.complete_if_left(&mut mark);
            self.pending.push_back(mark);
        }
    }

    /// The buffer was handed over. Pauses may have left their marks meanwhile.
    pub(crate) fn end_handover(&mut self) {
        while !self.marks.has_ended_handover() {
            self.take_marks();
            std::thread::yield_now();
        }
    }

    /// Ends the thread's events, when the thread or the program ends: takes the rest, and what the thread allocated after its last event.
    pub(crate) fn end(&mut self, epoch: u32, layout: &ThreadLayout) -> Option<Buffer> {
        let flags = EventFlags::CUT.with(EventFlags::THREAD_ENDED);
        let mut rest = EventWords::new();
        self.has_ended = true;
        if let Some(native) = self.marks.forget_thread() {
            // SAFETY: the thread itself runs this, or it is alive and its allocations may be slightly outdated.
            let allocated = unsafe { layout.cooked_allocated_bytes(Address(native)) };
            let accounted = self.block.word(LAST).wrapping_add(self.block.word(BASE));
            let dropped = self.block.word(DROPPED);
            if dropped > 0 {
                rest = rest.dropped(dropped);
            }
            if allocated > accounted {
                rest = rest.moved(allocated - accounted);
            }
        }
        let piece = self.take_with(epoch, flags, rest)?;
        self.block.set_word(DROPPED, 0);
        self.block.set_word(LIMIT, 0);
        (!piece.words.is_empty()).then_some(piece)
    }

    /// Sizes vary, so that threads doing the same work do not hand over at the same time.
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

/// Marks the block that threads without their own share as having no buffer.
pub(crate) fn without_buffer(block: CounterBlock) {
    block.set_word(CURSOR, SHARED_CURSOR);
}

/// Sets the position of threads without a block: no thread, and one word more than the number of collections.
pub(crate) fn set_shared_position(block: CounterBlock, epoch: u32) {
    let position = (u64::from(epoch) + 1) * 4;
    block.set_word(BIAS, position.wrapping_sub(SHARED_CURSOR));
}

/// The number of the buffer in a block.
pub(crate) fn owner(block: CounterBlock) -> Option<usize> {
    usize::try_from(block.word(BUFFER)).ok()?.checked_sub(1)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) const SIZES: BufferSizes = BufferSizes {
        bytes: 1024,
        deviation: 0.5,
    };
    /// Threads in these tests are not known.
    pub(in super::super) const LAYOUT: ThreadLayout = ThreadLayout {
        tlab_start: 0,
        tlab_top: 8,
        tlab_end: 16,
        slow_allocations: 24,
        allocated_bytes: 32,
        java_thread_size: 40,
        uses_tlab: true,
        address_bits: u64::MAX,
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
        buffer.marks.put(0, 0, &LAYOUT);
        assert_eq!(now(&buffer).1, 4);
        assert!(buffer.is_cut());
        assert_eq!(
            buffer
                .take_cut(0)
                .expect("a cut")
                .0
                .expect("words")
                .words
                .len(),
            12
        );
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
