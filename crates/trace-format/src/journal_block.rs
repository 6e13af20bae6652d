//! Content of a block of kind 4: definitions that are not in the trace file yet.
//!
//! | what | bytes |
//! |---|---|
//! | first | varint, number of the first record among all records that blocks of kind 1 hold or will hold, from 0 |
//! | records | to the end of the content, as in blocks of kind 1 |
//!
//! Such blocks stand in a separate file, [`JOURNAL_FILE_NAME`]. Its records go to the trace file together, in blocks large enough to
//! compress well, and the journal is emptied. If the process is killed in between, both files have them: a reader that has read `n` records
//! in blocks of kind 1 skips the journal's records with numbers below `n`.

use crate::FormatError;
use crate::varint::{FieldReader, put_varint};

/// The name of the file in the trace's directory.
pub const JOURNAL_FILE_NAME: &str = "definitions.journal";

/// A block of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalBlock<'a> {
    /// Number of the first record.
    pub first: u64,
    /// The records.
    pub records: &'a [u8],
}

impl<'a> JournalBlock<'a> {
    /// Appends the content of a block.
    pub fn encode(&self, content: &mut Vec<u8>) {
        put_varint(self.first, content);
        content.extend_from_slice(self.records);
    }

    /// Reads the content of a block.
    pub fn decode(content: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        Ok(Self {
            first: fields.varint()?,
            records: fields.rest(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let block = JournalBlock {
            first: 70_000,
            records: b"records",
        };
        let mut content = Vec::new();
        block.encode(&mut content);
        assert_eq!(JournalBlock::decode(&content), Ok(block));
        assert!(JournalBlock::decode(&content[..1]).is_err());
    }
}
