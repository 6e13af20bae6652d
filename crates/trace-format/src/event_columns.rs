//! Content of a block of kind 23: pieces of threads' buffers, with their records in columns. A file of `mode=full` has these instead of
//! blocks of kind 16, because LZ4 makes half as many bytes of them.
//!
//! | what | bytes |
//! |---|---|
//! | pieces | varint |
//! | for each piece: length | varint, bytes of the content that a block of kind 16 has ([`EventBlock`](crate::EventBlock)) |
//! | for each piece: head | varint, how many of these bytes precede the words |
//! | heads | of each piece: the bytes before its words, and the 0 to 3 bytes after the last whole word |
//! | operations | varint, number of words; then these words |
//! | references | varint, number; then their lengths, four in a byte; then their bytes |
//!
//! The words of all pieces follow each other, event by event. The first word of an update or
//! a call ([`Update`](crate::Update), [`MethodEvent`](crate::MethodEvent)) is an operation,
//! and its `n` words of payload are references. All words of any other event are operations.
//!
//! The key of word `k` of the payload of an operation `w` is the upper 12 bits of the product of `w xor (k << 28)` and 0x9E3779B1, modulo
//! 2^32. A reference is the zigzag difference, modulo 2^32, from the last reference with the same key, at first from 0, in as many bytes
//! as it needs, the low ones first. Its length less one has two bits; the first of four references has the lowest two bits of their byte.
//!
//! Kind 22 was an earlier form, which no reader knows any more.

use crate::event_sink::{RecordRun, Word};
use crate::piece_words::word_length;
use crate::varint::FieldReader;
use crate::{FormatError, MAX_CONTENT};
use references::References;

pub use encoder::EventColumnsEncoder;
pub use references::ReferenceColumn;

mod encoder;
mod references;

/// The pieces of a block of kind 23, each as the content of a block of kind 16.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventColumns {
    bytes: Vec<u8>,
    /// Where each piece ends.
    ends: Vec<usize>,
}

impl EventColumns {
    /// Decodes the content of a block.
    ///
    /// # Errors
    /// The first field that breaks a rule.
    pub fn decode(content: &[u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        let lengths = lengths(&mut fields)?;
        let total: usize = lengths.iter().map(|(length, _)| length).sum();
        let mut heads = fields.clone();
        let heads_length = lengths
            .iter()
            .map(|(length, head)| length - (length - head) / 4 * 4);
        fields.step_over(heads_length.sum())?;
        let column = column(&mut fields)?;
        let references = fields.varint()?;
        let mut words = ColumnWords {
            operations: column,
            references: References::new(usize::try_from(references).unwrap_or(usize::MAX), fields)?,
        };
        let mut pieces = Self {
            bytes: Vec::with_capacity(total),
            ends: Vec::with_capacity(lengths.len()),
        };
        for (length, head) in lengths {
            let count = (length - head) / 4;
            pieces.bytes.extend_from_slice(heads.step_over(head)?);
            words.take(count, &mut pieces.bytes)?;
            pieces
                .bytes
                .extend_from_slice(heads.step_over((length - head) % 4)?);
            pieces.ends.push(pieces.bytes.len());
        }
        match words.operations {
            [] if words.references.is_at_end() => Ok(pieces),
            _ => Err(heads.malformed("columns have more words than their pieces")),
        }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let places = starts.zip(&self.ends);
        places.map(|(start, end)| self.bytes.get(*start..*end).unwrap_or_default())
    }
}

/// The length of each piece and of its head.
fn lengths(fields: &mut FieldReader<'_>) -> Result<Vec<(usize, usize)>, FormatError> {
    let pieces = fields.varint()?;
    let mut lengths = Vec::new();
    let mut total = 0_usize;
    for _ in 0..pieces {
        let length = usize::try_from(fields.varint()?).unwrap_or(usize::MAX);
        let head = usize::try_from(fields.varint()?).unwrap_or(usize::MAX);
        total = total.saturating_add(length);
        if head > length || total > MAX_CONTENT {
            return Err(fields.malformed("the length of a piece"));
        }
        lengths.push((length, head));
    }
    Ok(lengths)
}

/// The words of operations.
fn column<'a>(fields: &mut FieldReader<'a>) -> Result<&'a [Word], FormatError> {
    let operations = fields.varint()?;
    let bytes = usize::try_from(operations)
        .unwrap_or(usize::MAX)
        .saturating_mul(size_of::<Word>());
    Ok(fields.step_over(bytes)?.as_chunks().0)
}

/// The words of the pieces, as the columns give them.
struct ColumnWords<'a> {
    operations: &'a [Word],
    references: References<'a>,
}

impl ColumnWords<'_> {
    /// Appends the next `count` words, which are those of one piece.
    fn take(&mut self, count: usize, bytes: &mut Vec<u8>) -> Result<(), FormatError> {
        let mut left = count;
        while left > 0 {
            let word = self
                .operations
                .first()
                .map_or(0, |word| u32::from_le_bytes(*word));
            let payload = RecordRun::payload(word);
            let length = payload.map_or(word_length(word), |_| Some(1));
            let event = length.and_then(|length| self.operations.split_at_checked(length));
            let words = length.unwrap_or(0) + payload.unwrap_or(0);
            let Some((event, after)) = event.filter(|_| words <= left) else {
                return Err(self
                    .references
                    .malformed("an event has more words than its piece"));
            };
            bytes.extend_from_slice(event.as_flattened());
            self.operations = after;
            for index in 0..payload.unwrap_or(0) as u32 {
                let reference = self.references.next(word, index)?;
                bytes.extend_from_slice(&reference.to_le_bytes());
            }
            left -= words;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
