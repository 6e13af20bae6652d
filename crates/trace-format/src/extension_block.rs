//! Content of blocks of kinds 32 to 63: data of optional modes about threads or collections, besides their events.
//!
//! | what | bytes |
//! |---|---|
//! | length | varint, bytes of the fields |
//! | thread | varint, [`ThreadId`](crate::ThreadId); 0: not about a thread |
//! | epoch | varint, number of collections before this data |
//! | begun | varint, microseconds since 1970 |
//! | handed over | varint, microseconds after `begun` |
//! | more | fields that a newer writer added; a reader skips those it does not know |
//! | body | to the end of the content |
//!
//! | kind | name | body |
//! |---|---|---|
//! | 32 | witness | words of one thread, mostly extended operations ([`EventWords`](crate::EventWords)): updates of references, calls |
//! | 33 | stamps | objects that the next collection found dead: last uses and references ([`DeadEncoder`](crate::DeadEncoder)) |
//! | 34 | uses | objects that were used before the next collection ([`UseEncoder`](crate::UseEncoder)) |
//! | 35 | roots | what holds objects directly at a moment ([`encode_roots`](crate::encode_roots)) |
//!
//! These blocks may stand anywhere in event files; readers skip kinds that they do not know. Like an event block, a thread's block belongs
//! to the epoch that it states.

use crate::varint::{FieldReader, put_varint};
use crate::{FormatError, ThreadId};

/// The fields before the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtensionHeader {
    /// The thread; `None` if the data is not about a thread.
    pub thread: Option<ThreadId>,
    /// Number of collections before this data.
    pub epoch: u32,
    /// When the block was begun, microseconds since 1970.
    pub begun: u64,
    /// When the block was handed over, microseconds since 1970.
    pub handed_over: u64,
}

/// A block of a kind from 32 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionBlock<'a> {
    /// The fields before the body.
    pub header: ExtensionHeader,
    /// The rest of the content.
    pub body: &'a [u8],
}

impl ExtensionHeader {
    /// Appends the content of a block up to the body, which the caller appends.
    pub fn encode(&self, content: &mut Vec<u8>) {
        let mut fields = Vec::new();
        put_varint(self.thread.map_or(0, |thread| thread.0.into()), &mut fields);
        put_varint(self.epoch.into(), &mut fields);
        put_varint(self.begun, &mut fields);
        put_varint(self.handed_over.saturating_sub(self.begun), &mut fields);
        put_varint(fields.len() as u64, content);
        content.extend_from_slice(&fields);
    }
}

impl<'a> ExtensionBlock<'a> {
    /// Decodes the header; fields that a newer writer added are skipped.
    pub fn decode(content: &'a [u8]) -> Result<Self, FormatError> {
        let (fields, body) = FieldReader::new(content).length_and_rest()?;
        let mut fields = FieldReader::new(fields);
        let thread = fields.varint_u32()?;
        let epoch = fields.varint_u32()?;
        let begun = fields.varint()?;
        let handed_over = begun.saturating_add(fields.varint()?);
        let header = ExtensionHeader {
            thread: (thread != 0).then_some(ThreadId(thread)),
            epoch,
            begun,
            handed_over,
        };
        Ok(Self { header, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: ExtensionHeader = ExtensionHeader {
        thread: Some(ThreadId(300)),
        epoch: 7,
        begun: 1_000_000,
        handed_over: 1_000_250,
    };

    #[test]
    fn round_trip_and_every_cut_of_the_header_is_an_error() {
        let mut content = Vec::new();
        HEADER.encode(&mut content);
        let length = content.len();
        content.extend_from_slice(b"body");
        let block = ExtensionBlock::decode(&content).unwrap();
        assert_eq!((block.header, block.body), (HEADER, b"body".as_slice()));
        for cut in 0..length {
            assert!(ExtensionBlock::decode(&content[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn fields_of_a_newer_writer_are_skipped() {
        let mut content = Vec::new();
        HEADER.encode(&mut content);
        content[0] += 3;
        content.extend_from_slice(b"newbody");
        let block = ExtensionBlock::decode(&content).unwrap();
        assert_eq!((block.header, block.body), (HEADER, b"body".as_slice()));
    }
}
