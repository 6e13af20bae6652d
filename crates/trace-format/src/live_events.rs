//! `events.live`: events of a process that lives, or was killed. The agent maps this file as memory, so it needs no last word.
//!
//! ```text
//! header         one page
//! area*          threads' buffers; pieces that were handed over, and collections, whose blocks are not in an event file yet
//! ```
//!
//! All numbers are little-endian words of 8 bytes, counted from 0 in their page or slot. A page has 4,096 bytes.
//!
//! | word of the header | what |
//! |---|---|
//! | 0 | [`MAGIC`](live::MAGIC) |
//! | 1 | version, 2 |
//! | 2 | process id |
//! | 3 | start, milliseconds since 1970, as in [`Run`](crate::Run) |
//! | 4 | collections so far |
//! | 5 | threads whose buffers are in the process alone |
//! | 6 | pieces so far that were in the process alone |
//!
//! | word of an area's first page | what |
//! |---|---|
//! | 40 | [`THREAD`](live::THREAD), [`PIECES`](live::PIECES) or [`COLLECTION`](live::COLLECTION); anything else: there are no more areas |
//! | 41 | bytes of the area, this page included |
//!
//! An area of a thread: the first page is that of the thread's block, after it is the buffer.
//!
//! | word | what |
//! |---|---|
//! | 9 | cursor: the address at which the thread's next word goes |
//! | 42 | start: the address of the buffer's first byte |
//! | 43 | taken: the address up to which words were handed over; above the cursor: there are no others |
//! | 44 | words that were handed over before those from `start` on |
//! | 45 | the thread's number; 0: no thread has the buffer |
//! | 46 | where the thread's allocation buffer stood at `taken` |
//! | 47 | when the words from `taken` on were begun, microseconds since 1970 |
//! | 48 | 1: a collection has cut the buffer at `taken`, and no word came since |
//! | 49 | where the thread's allocation buffer stood at that collection; 0: it had none, or that is in a slot |
//! | 50 | where it stood at the last event before |
//!
//! An area of pieces: word 42 has the bytes of a slot. Slots stand after the first page, one after the other.
//!
//! | word of a slot | what |
//! |---|---|
//! | 0 | order in which pieces were handed over, from 1; 0: the slot is free |
//! | 1 | upper half: 1 + index of the event file, lower half: number of the block in it; 0: not written yet |
//! | 2 | upper half: epoch, lower half: thread |
//! | 3 | upper half: bytes of the words, lower half: flags of the piece, and [`BEHIND_CUT`](live::BEHIND_CUT) |
//! | 4 | begun, microseconds since 1970 |
//! | 5 | handed over, microseconds since 1970 |
//! | 6 | where the thread's allocation buffer stood before the first word |
//! | 7 | words that the thread handed over before these |
//! | 8, 9 | as words 49 and 50 of the thread's area, for a piece after a cut |
//! | 10.. | the words |
//!
//! An area of a collection: after the first page is what [`KeptCollection`](crate::KeptCollection) describes.
//!
//! | word | what |
//! |---|---|
//! | 42 | number of the collection; 0: the area is free, or is being written |
//! | 43 | its survivors |
//!
//! The area is free again when all blocks of the collection are in an event file.
//!
//! A slot says which block of which file it will be before that block is written. So after the process was killed, a piece is in its file if that file has
//! this many intact blocks, and otherwise in its slot. A thread's words that are in a slot may be in its buffer as well: positions tell.

use crate::{EventBlockHeader, EventFlags, ThreadId};

/// The name of the file in the trace's directory.
pub const LIVE_EVENTS_FILE_NAME: &str = "events.live";

/// Numbers of the layout, for who writes the file and who reads it.
pub mod live {
    /// The first word.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"\x8BDTLIVE\n");
    /// Of the layout.
    pub const VERSION: u64 = 2;
    /// Bytes of a page.
    pub const PAGE: usize = 4096;

    /// Words of the header.
    pub const PROCESS: usize = 2;
    /// See the module.
    pub const START: usize = 3;
    /// See the module.
    pub const EPOCH: usize = 4;

    /// See the module.
    pub const PRIVATE_THREADS: usize = 5;
    /// See the module.
    pub const PRIVATE_PIECES: usize = 6;

    /// Words of any area.
    pub const KIND: usize = 40;
    /// See the module.
    pub const AREA_BYTES: usize = 41;
    /// An area of a thread.
    pub const THREAD: u64 = u64::from_le_bytes(*b"DTTHREAD");
    /// An area of pieces.
    pub const PIECES: u64 = u64::from_le_bytes(*b"DTPIECES");

    /// An area of a collection.
    pub const COLLECTION: u64 = u64::from_le_bytes(*b"DTCOLLEC");

    /// Words of a collection's area.
    pub const NUMBER: usize = 42;
    /// See the module.
    pub const SURVIVORS: usize = 43;

    /// Words of a thread's area.
    pub const CURSOR: usize = 9;
    /// See the module.
    pub const BUFFER_START: usize = 42;
    /// See the module.
    pub const TAKEN: usize = 43;
    /// See the module.
    pub const POSITION: usize = 44;
    /// See the module.
    pub const OWNER: usize = 45;
    /// See the module.
    pub const LAST_TOP: usize = 46;
    /// See the module.
    pub const BEGUN: usize = 47;
    /// See the module.
    pub const WAS_CUT: usize = 48;

    /// See the module.
    pub const CUT_TOP: usize = 49;
    /// See the module.
    pub const CUT_LAST: usize = 50;

    /// The word of an area of pieces that has the bytes of a slot.
    pub const SLOT_BYTES: usize = 42;
    /// Words of a slot before those of the piece.
    pub const SLOT_HEADER: usize = 10;
    /// Bytes of these.
    pub const SLOT_HEADER_BYTES: usize = SLOT_HEADER * 8;
    /// See the module.
    pub const SEQUENCE: usize = 0;
    /// See the module.
    pub const PLACE: usize = 1;

    /// A flag of pieces in slots: it is the thread's first since a collection cut its buffer.
    pub const BEHIND_CUT: u32 = 1 << 16;
}

/// What a slot says of its piece, but for its order and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LivePiece {
    /// What is said of the piece.
    pub header: EventBlockHeader,
    /// It is the thread's first since a collection cut its buffer.
    pub behind_cut: bool,
    /// Where the thread's allocation buffer stood at that collection (0: it had none), and at the last event before.
    pub cut: (u64, u64),
    /// Words that the thread handed over before these.
    pub position: u64,
    /// Bytes of its words.
    pub bytes: u32,
}

impl LivePiece {
    /// The words 2 to 9 of its slot.
    pub fn encode(&self) -> [u64; 8] {
        let header = &self.header;
        let behind_cut = if self.behind_cut { live::BEHIND_CUT } else { 0 };
        let flags = u32::from(header.flags.0) | behind_cut;
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

    /// Reads the words 2 to 9 of a slot.
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
            behind_cut: flags & live::BEHIND_CUT != 0,
            cut: (cut_top, cut_last),
            position,
            bytes,
        }
    }
}

/// The word that says that a piece is this block of this event file.
pub fn live_place(file: u32, block: u32) -> u64 {
    both(file.wrapping_add(1), block)
}

/// File and block of such a word; `None`: not written yet.
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
            behind_cut: true,
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
