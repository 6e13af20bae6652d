//! `events.live`: events of a process that is running or was killed. The agent maps this file as memory, so it needs no end
//! record.
//!
//! ```text
//! header         one page
//! area*          buffers of threads; handed-over pieces and collections whose blocks are not in an event file yet
//! ```
//!
//! All numbers are little-endian words of 8 bytes, indexed from 0 in their page or slot. A page has 4,096 bytes.
//!
//! | word of the header | what |
//! |---|---|
//! | 0 | [`MAGIC`](live::MAGIC) |
//! | 1 | version, 1 |
//! | 2 | process id |
//! | 3 | start, milliseconds since 1970, as in [`Run`](crate::Run) |
//! | 4 | number of collections so far |
//! | 5 | threads whose buffers are only in the process's memory |
//! | 6 | pieces so far that were only in the process's memory |
//!
//! | word of an area's first page | what |
//! |---|---|
//! | 40 | [`THREAD`](live::THREAD), [`PIECES`](live::PIECES) or [`COLLECTION`](live::COLLECTION); any other value: no more areas follow |
//! | 41 | bytes of the area, this page included |
//!
//! In an area of a thread, the first page is the page of the thread's block, and the buffer follows it.
//!
//! | word | what |
//! |---|---|
//! | 9 | cursor: the address of the thread's next word |
//! | 42 | start: the address of the buffer's first byte |
//! | 43 | taken: the address up to which words were handed over; if it is above the cursor, no words are left |
//! | 44 | number of words handed over before those at `start` |
//! | 45 | the thread's number; 0: no thread has the buffer |
//! | 46 | top of the thread's allocation buffer at `taken` |
//! | 47 | when the words from `taken` on were begun, microseconds since 1970 |
//! | 48 | 1: a collection has cut the buffer at `taken`, and no word has come since |
//! | 49 | top of the thread's allocation buffer at that collection; 0: it had none, or a slot has it |
//! | 50 | its top at the last event before |
//!
//! In an area of pieces, word 42 has the bytes of a slot. The slots follow the first page, one after the other.
//!
//! | word of a slot | what |
//! |---|---|
//! | 0 | sequence number in which pieces were handed over, from 1; 0: the slot is free |
//! | 1 | upper half: 1 + index of the event file, lower half: number of the block in it; 0: not written yet |
//! | 2 | upper half: epoch, lower half: thread |
//! | 3 | upper half: bytes of the words, lower half: flags of the piece, and [`AFTER_CUT`](live::AFTER_CUT) |
//! | 4 | begun, microseconds since 1970 |
//! | 5 | handed over, microseconds since 1970 |
//! | 6 | top of the thread's allocation buffer before the first word |
//! | 7 | number of words that the thread handed over before these |
//! | 8, 9 | like words 49 and 50 of the thread's area, for a piece after a cut |
//! | 10.. | the words |
//!
//! In an area of a collection, a [`KeptCollection`](crate::KeptCollection) follows the first page.
//!
//! | word | what |
//! |---|---|
//! | 42 | number of the collection; 0: the area is free, or is being written |
//! | 43 | number of its survivors |
//!
//! The area is freed when all blocks of the collection are in an event file.
//!
//! A slot names its block and file before that block is written. So after the process was killed, a piece is in its file if that file has
//! at least this many intact blocks, and otherwise in its slot. Words of a thread that are in a slot may also be in its buffer: their
//! positions show it.

use crate::{EventBlockHeader, EventFlags, ThreadId};

/// The name of the file in the trace's directory.
pub const LIVE_EVENTS_FILE_NAME: &str = "events.live";

/// Constants of the layout, for the writer and the reader of the file.
pub mod live {
    use ducktrack_probe_vocabulary::block_word;

    /// Header word 0.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"\x8BDTLIVE\n");
    /// Version of the layout, header word 1.
    pub const VERSION: u64 = 1;
    /// Bytes of a page.
    pub const PAGE: usize = 4096;

    /// Header word: process id.
    pub const PROCESS: usize = 2;
    /// Header word: start of the run.
    pub const START: usize = 3;
    /// Header word: number of collections.
    pub const EPOCH: usize = 4;

    /// Header word: threads whose buffers are only in the process's memory.
    pub const PRIVATE_THREADS: usize = 5;
    /// Header word: pieces that were only in the process's memory.
    pub const PRIVATE_PIECES: usize = 6;

    /// Word of any area: its kind.
    pub const KIND: usize = 40;
    /// Word of any area: its length in bytes.
    pub const AREA_BYTES: usize = 41;
    /// Kind of an area of a thread.
    pub const THREAD: u64 = u64::from_le_bytes(*b"DTTHREAD");
    /// Kind of an area of pieces.
    pub const PIECES: u64 = u64::from_le_bytes(*b"DTPIECES");

    /// Kind of an area of a collection.
    pub const COLLECTION: u64 = u64::from_le_bytes(*b"DTCOLLEC");

    /// Word of a collection's area: number of the collection.
    pub const NUMBER: usize = 42;
    /// Word of a collection's area: number of survivors.
    pub const SURVIVORS: usize = 43;

    /// Word of a thread's area: address of its next word.
    pub const CURSOR: usize = block_word::CURSOR;
    /// Word of a thread's area: address of the buffer's first byte.
    pub const BUFFER_START: usize = block_word::LIVE_START;
    /// Word of a thread's area: address up to which words were handed over.
    pub const TAKEN: usize = block_word::LIVE_TAKEN;
    /// Word of a thread's area: words handed over before those at the start.
    pub const POSITION: usize = block_word::LIVE_POSITION;
    /// Word of a thread's area: number of the thread.
    pub const OWNER: usize = block_word::LIVE_THREAD;
    /// Word of a thread's area: top of its allocation buffer at `TAKEN`.
    pub const LAST_TOP: usize = block_word::LIVE_LAST_TOP;
    /// Word of a thread's area: when the words from `TAKEN` on were begun.
    pub const BEGUN: usize = block_word::BEGUN;
    /// Word of a thread's area: whether a collection has cut the buffer and no word has come since.
    pub const WAS_CUT: usize = block_word::LIVE_WAS_CUT;

    /// Word of a thread's area: top of its allocation buffer at that collection.
    pub const CUT_TOP: usize = block_word::LIVE_CUT_TOP;
    /// Word of a thread's area: its top at the last event before.
    pub const CUT_LAST: usize = block_word::LIVE_CUT_LAST;

    /// Word of an area of pieces: bytes of a slot.
    pub const SLOT_BYTES: usize = 42;
    /// Number of words of a slot before those of the piece.
    pub const SLOT_HEADER: usize = 10;
    /// Bytes of these words.
    pub const SLOT_HEADER_BYTES: usize = SLOT_HEADER * 8;
    /// Word of a slot: sequence number of its piece.
    pub const SEQUENCE: usize = 0;
    /// Word of a slot: event file and block of its piece.
    pub const PLACE: usize = 1;

    /// Flag of a piece in a slot: it is the thread's first since a collection cut its buffer.
    pub const AFTER_CUT: u32 = 1 << 16;
}

/// The fields of a slot, except for sequence number, file and block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LivePiece {
    /// Header of the piece.
    pub header: EventBlockHeader,
    /// It is the thread's first since a collection cut its buffer.
    pub after_cut: bool,
    /// Top of the thread's allocation buffer at that collection (0: it had none), and at the last event before.
    pub cut: (u64, u64),
    /// Number of words that the thread handed over before these.
    pub position: u64,
    /// Bytes of its words.
    pub bytes: u32,
}

impl LivePiece {
    /// Words 2 to 9 of its slot.
    pub fn encode(&self) -> [u64; 8] {
        let header = &self.header;
        let after_cut = if self.after_cut { live::AFTER_CUT } else { 0 };
        let flags = u32::from(header.flags.0) | after_cut;
        [
            both(header.epoch, header.thread.0),
            both(self.bytes, flags),
            header.begun,
            header.handed_over,
            header.last_top,
            self.position,
            self.cut.0,
            self.cut.1,
        ]
    }

    /// Decodes words 2 to 9 of a slot.
    pub fn decode(words: [u64; 8]) -> Self {
        let [
            epoch_and_thread,
            bytes_and_flags,
            begun,
            handed_over,
            last_top,
            position,
            rest @ ..,
        ] = words;
        let [cut_top, cut_last] = rest;
        let (epoch, thread) = halves(epoch_and_thread);
        let (bytes, flags) = halves(bytes_and_flags);
        Self {
            header: EventBlockHeader {
                thread: ThreadId(thread),
                epoch,
                begun,
                handed_over,
                flags: EventFlags((flags & 0xFF) as u8),
                last_top,
            },
            after_cut: flags & live::AFTER_CUT != 0,
            cut: (cut_top, cut_last),
            position,
            bytes,
        }
    }
}

/// The word for a piece that is this block of this event file.
pub fn live_place(file: u32, block: u32) -> u64 {
    both(file.wrapping_add(1), block)
}

/// Decodes such a word into file and block; `None` if the piece has not been written yet.
pub fn of_live_place(word: u64) -> Option<(u32, u32)> {
    let (file, block) = halves(word);
    Some((file.checked_sub(1)?, block))
}

fn both(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_piece_is_read_again() {
        let piece = LivePiece {
            header: EventBlockHeader {
                thread: ThreadId(7),
                epoch: u32::MAX,
                begun: 5,
                handed_over: 9,
                flags: EventFlags::CUT,
                last_top: 0x8000_0000,
            },
            after_cut: true,
            cut: (0x9000, 0x8FF0),
            position: 1 << 40,
            bytes: 16_384,
        };
        assert_eq!(LivePiece::decode(piece.encode()), piece);
        assert_eq!(of_live_place(live_place(0, 0)), Some((0, 0)));
        assert_eq!(of_live_place(live_place(9, u32::MAX)), Some((9, u32::MAX)));
        assert_eq!(of_live_place(0), None);
    }
}
