//! Content of a block of kind 16: one event buffer of one thread, or the piece of it that a collection cut off.
//!
//! | what | bytes |
//! |---|---|
//! | thread | varint, [`ThreadId`] |
//! | epoch | varint, number of collections before these events |
//! | begun | varint, microseconds since 1970 |
//! | handed over | varint, microseconds after `begun` |
//! | flags | varint, see below |
//! | last top | u64, top of the thread's allocation buffer before the first word; less than 8: unknown |
//! | more | with flag 16: varint, number of bytes of further fields, then these fields; a reader skips those it does not know |
//! | words | to the end of the content, see [`EventWords`](crate::EventWords) |
//!
//! | flag | meaning |
//! |---|---|
//! | 1 | a collection cut this piece off; the same buffer continues in the thread's next piece |
//! | 2 | the thread ended |
//! | 4 | the piece begins at a cut: words before its `cut` word are stragglers of the previous epoch |
//! | 8 | the piece came late: it belongs to the stated epoch, but stands after the collection that ended that epoch; all its words are stragglers |
//! | 16 | further fields stand before the words |

use crate::varint::{FieldReader, put_varint};
use crate::{FormatError, ThreadId};

/// The fields of a piece before its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventBlockHeader {
    /// The thread of the events.
    pub thread: ThreadId,
    /// Collections before these events.
    pub epoch: u32,
    /// When the piece was begun, microseconds since 1970.
    pub begun: u64,
    /// When it was handed over, microseconds since 1970.
    pub handed_over: u64,
    /// See [`EventFlags`].
    pub flags: EventFlags,
    /// Top of the thread's allocation buffer before the first word; less than 8: unknown.
    pub last_top: u64,
}

/// Flags of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventFlags(pub u8);

impl EventFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// A collection cut this piece off.
    pub const CUT: Self = Self(1);
    /// The thread ended.
    pub const THREAD_ENDED: Self = Self(2);
    /// The piece begins at a cut. The writer of the trace sets it.
    pub const AFTER_CUT: Self = Self(4);
    /// The piece came late. The writer of the trace sets it.
    pub const LATE: Self = Self(8);
    /// Further fields stand before the words.
    const GROWN: Self = Self(16);

    /// True when all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// These flags and those of `other`.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A piece, decoded from the content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventBlock<'a> {
    /// The fields before the words.
    pub header: EventBlockHeader,
    /// The words; a length that is not a multiple of 4 is damage.
    pub words: &'a [u8],
}

impl EventBlockHeader {
    /// Appends the content of a block up to the words, which the caller appends.
    pub fn encode(&self, content: &mut Vec<u8>) {
        put_varint(u64::from(self.thread.0), content);
        put_varint(u64::from(self.epoch), content);
        put_varint(self.begun, content);
        put_varint(self.handed_over.saturating_sub(self.begun), content);
        put_varint(u64::from(self.flags.without(EventFlags::GROWN).0), content);
        content.extend_from_slice(&self.last_top.to_le_bytes());
    }
}

impl<'a> EventBlock<'a> {
    /// Decodes the header and finds the words.
    pub fn decode(content: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        let thread = ThreadId(fields.varint_u32()?);
        let epoch = fields.varint_u32()?;
        let begun = fields.varint()?;
        let handed_over = begun.saturating_add(fields.varint()?);
        let flags = EventFlags((fields.varint()? & 0xFF) as u8);
        let last_top = fields.fixed_u64()?;
        let words = match flags.has(EventFlags::GROWN) {
            true => fields.length_and_rest()?.1,
            false => fields.rest(),
        };
        let header = EventBlockHeader {
            thread,
            epoch,
            begun,
            handed_over,
            flags: flags.without(EventFlags::GROWN),
            last_top,
        };
        Ok(Self { header, words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_newer_writer_are_skipped() {
        let header = EventBlockHeader {
            thread: ThreadId(3),
            epoch: 1,
            begun: 4,
            handed_over: 9,
            flags: EventFlags::CUT,
            last_top: 0x1000,
        };
        let mut content = Vec::new();
        header.encode(&mut content);
        content[4] |= EventFlags::GROWN.0;
        content.extend_from_slice(&[2, 0xAA, 0xBB]);
        content.extend_from_slice(b"word");
        let block = EventBlock::decode(&content).unwrap();
        assert_eq!((block.header, block.words), (header, b"word".as_slice()));
        content.truncate(content.len() - 5);
        assert!(EventBlock::decode(&content).is_err());
    }
}
