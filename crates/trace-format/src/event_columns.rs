//! Content of a block of kind 22: pieces of threads' buffers, with their records in columns. A file of `witness=full` has these instead of
//! blocks of kind 16, because LZ4 makes half as many bytes of them.
//!
//! | what | bytes |
//! |---|---|
//! | pieces | varint |
//! | for each piece: length | varint, bytes of the content that a block of kind 16 has ([`EventBlock`]) |
//! | for each piece: head | varint, how many of these bytes precede the words |
//! | heads | of each piece: the bytes before its words, and the 0 to 3 bytes after the last whole word |
//! | operations | varint, number of words; then these words |
//! | references | to the end |
//!
//! The words of all pieces follow each other. A word that begins an update or a call ([`Update`](crate::Update),
//! [`MethodEvent`](crate::MethodEvent)), with `n` words of payload that its piece still has, is an operation, and its `n` words are references. Every other word is an
//! operation by itself. (A word that only looks like such a beginning is treated alike by writers and readers.)
//!
//! A reference is a varint: the zigzag difference, modulo 2^32, from the last reference with the same key, at first from 0. The key of word `k` of the payload
//! of an operation `w` is the upper 12 bits of the product of `w xor (k << 28)` and 0x9E3779B1, modulo 2^32.

use crate::event_sink::{RecordRun, Word};
use crate::varint::{FieldReader, put_varint};
use crate::{EventBlock, FormatError, MAX_CONTENT};

const KEY_BITS: u32 = 12;
const KEYS: usize = 1 << KEY_BITS;
/// Most bytes of a varint of 32 bits.
const MOST_VARINT: usize = 5;

/// The last reference of each key.
#[derive(Debug)]
struct LastReferences(Box<[u32; KEYS]>);

impl Default for LastReferences {
    fn default() -> Self {
        Self(Box::new([0; KEYS]))
    }
}

impl LastReferences {
    fn forget(&mut self) {
        self.0.fill(0);
    }

    #[inline]
    fn of(&mut self, operation: u32, index: u32) -> &mut u32 {
        let product = (operation ^ index << 28).wrapping_mul(0x9E37_79B1);
        &mut self.0[(product >> (32 - KEY_BITS)) as usize]
    }

    /// The zigzag difference of a reference from the last one.
    #[inline]
    fn code(&mut self, operation: u32, index: u32, reference: u32) -> u32 {
        let last = self.of(operation, index);
        let difference = reference.wrapping_sub(*last) as i32;
        *last = reference;
        ((difference << 1) ^ (difference >> 31)) as u32
    }

    /// The reference at a zigzag difference from the last one.
    #[inline]
    fn reference(&mut self, operation: u32, index: u32, code: u32) -> u32 {
        let last = self.of(operation, index);
        *last = last.wrapping_add((code >> 1) ^ (code & 1).wrapping_neg());
        *last
    }
}

/// Encodes contents of blocks of kind 16 as those of blocks of kind 22. Its memory serves for one block after the other.
#[derive(Debug, Default)]
pub struct EventColumnsEncoder {
    lengths: Vec<u8>,
    heads: Vec<u8>,
    operations: Vec<Word>,
    /// Longer than what is written.
    references: Vec<u8>,
    last: LastReferences,
}

impl EventColumnsEncoder {
    /// The content of one block with all these pieces.
    pub fn encode<'a>(&mut self, pieces: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
        self.lengths.clear();
        self.heads.clear();
        self.operations.clear();
        self.last.forget();
        put_varint(pieces.len() as u64, &mut self.lengths);
        let mut end = 0;
        for piece in pieces {
            let (head, words, tail) = parts(piece);
            put_varint(piece.len() as u64, &mut self.lengths);
            put_varint(head.len() as u64, &mut self.lengths);
            self.heads.extend_from_slice(head);
            self.heads.extend_from_slice(tail);
            end = self.add(words, end);
        }
        put_varint(self.operations.len() as u64, &mut self.heads);
        let references = self.references.get(..end).unwrap_or_default();
        let operations = self.operations.as_flattened();
        [&self.lengths, &self.heads, operations, references].concat()
    }

    /// Adds the words of a piece; the references go to `end`, and the new end is returned.
    fn add(&mut self, words: &[Word], mut end: usize) -> usize {
        let room = end + words.len() * MOST_VARINT + size_of::<u64>();
        if self.references.len() < room {
            self.references.resize(room, 0);
        }
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            self.operations.push(*word);
            let operation = u32::from_le_bytes(*word);
            let (payload, after) = after.split_at(RecordRun::payload_of(operation, after.len()));
            for (index, word) in payload.iter().enumerate() {
                let code = self
                    .last
                    .code(operation, index as u32, u32::from_le_bytes(*word));
                let (bytes, length) = varint_of(code);
                let room = self.references.get_mut(end..);
                if let Some(room) = room.and_then(<[u8]>::first_chunk_mut) {
                    *room = bytes;
                }
                end += length;
            }
            rest = after;
        }
        end
    }
}

/// What precedes the words of a piece, its words, and what is after the last whole word.
fn parts(piece: &[u8]) -> (&[u8], &[Word], &[u8]) {
    let words = EventBlock::decode(piece).map_or(0, |block| block.words.len());
    let (head, words) = piece.split_at(piece.len() - words);
    let (words, tail) = words.as_chunks();
    (head, words, tail)
}

/// A varint and its length, without branches: the length changes from one reference to the next, so a branch would often be predicted wrongly.
#[inline]
fn varint_of(code: u32) -> ([u8; 8], usize) {
    let code = u64::from(code);
    let group = |number: u32| (code >> (7 * number) & 0x7F) << (8 * number);
    let groups = group(0) | group(1) | group(2) | group(3) | group(4);
    let length = (70 - (code | 1).leading_zeros()) / 7;
    let goes_on = 0x80_8080_8080 & !(u64::MAX << (8 * (length - 1)));
    ((groups | goes_on).to_le_bytes(), length as usize)
}

/// The pieces of a block of kind 22, each as the content of a block of kind 16.
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
        let operations = fields.varint()?;
        let bytes = usize::try_from(operations)
            .unwrap_or(usize::MAX)
            .saturating_mul(4);
        let column = fields.step_over(bytes)?;
        let mut words = ColumnWords {
            operations: column.as_chunks().0.iter(),
            references: fields,
            last: LastReferences::default(),
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
        match words.operations.len() {
            0 if words.references.is_at_end() => Ok(pieces),
            _ => Err(words
                .references
                .malformed("columns have more words than their pieces")),
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

/// The words of the pieces, as the columns give them.
struct ColumnWords<'a> {
    operations: core::slice::Iter<'a, Word>,
    references: FieldReader<'a>,
    last: LastReferences,
}

impl ColumnWords<'_> {
    /// Appends the next `count` words, which are those of one piece.
    fn take(&mut self, count: usize, bytes: &mut Vec<u8>) -> Result<(), FormatError> {
        let mut left = count;
        while left > 0 {
            let missing = || {
                self.references
                    .malformed("a piece has more words than the columns")
            };
            let word = self.operations.next().ok_or_else(missing)?;
            bytes.extend_from_slice(word);
            left -= 1;
            let operation = u32::from_le_bytes(*word);
            let payload = RecordRun::payload_of(operation, left);
            for index in 0..payload as u32 {
                let code = self.references.varint_u32()?;
                let reference = self.last.reference(operation, index, code);
                bytes.extend_from_slice(&reference.to_le_bytes());
            }
            left -= payload;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_probe_vocabulary::event_word::extended::{
        FIRST_SHORT_ENTER, FIRST_SHORT_EXIT, FIRST_SHORT_UPDATE, UPDATE,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::{EventBlockHeader, EventFlags, EventWords, SiteId, ThreadId};

    fn piece(thread: u32, words: EventWords) -> Vec<u8> {
        let header = EventBlockHeader {
            thread: ThreadId(thread),
            epoch: 3,
            begun: 1_000_000,
            handed_over: 1_000_300,
            flags: EventFlags::CUT,
            last_top: 0x8000_1000,
        };
        let mut content = Vec::new();
        header.encode(&mut content);
        content.extend_from_slice(words.as_bytes());
        content
    }

    fn round_trip(pieces: &[Vec<u8>]) -> Vec<u8> {
        let mut encoder = EventColumnsEncoder::default();
        // What it had before has no effect.
        encoder.encode([piece(9, calls(77)).as_slice()].into_iter());
        let content = encoder.encode(pieces.iter().map(Vec::as_slice));
        let columns = EventColumns::decode(&content).expect("columns");
        assert_eq!(columns.pieces().collect::<Vec<_>>(), pieces);
        content
    }

    /// A thread that calls a method and changes a field, over and over.
    fn calls(first: u32) -> EventWords {
        (0..500).fold(EventWords::new(), |words, n| {
            let object = first + n * 3;
            words
                .extended(FIRST_SHORT_ENTER + 7, &[object])
                .extended(FIRST_SHORT_UPDATE + 3, &[object, object + 2])
                .site(SiteId(20), 3)
                .extended(FIRST_SHORT_EXIT + 7, &[])
        })
    }

    #[test]
    fn references_near_each_other_take_a_byte() {
        let pieces = [piece(1, calls(0x1000_0000)), piece(1, calls(0x1000_0600))];
        let content = round_trip(&pieces);
        let words = 1000 * (4 * 4 + 3);
        assert!(
            (words..words + 120).contains(&content.len()),
            "{}",
            content.len()
        );
    }

    #[test]
    fn varints_of_every_length_are_those_of_the_format() {
        for bits in 0..33 {
            for near in [-1_i64, 0, 1] {
                let code = ((1_i64 << bits) + near).clamp(0, u32::MAX.into()) as u32;
                let mut expected = Vec::new();
                put_varint(code.into(), &mut expected);
                let (bytes, length) = varint_of(code);
                assert_eq!(bytes[..length], expected);
            }
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let words = EventWords::new()
            .extended(FIRST_SHORT_ENTER + 7, &[0x1000_0203])
            .site(SiteId(16), 3)
            .extended(FIRST_SHORT_ENTER + 7, &[0x1000_0205]);
        let piece = piece(1, words);
        let head = piece.len() - 20;
        let mut expected = vec![1, piece.len() as u8, head as u8];
        expected.extend_from_slice(&piece[..head]);
        expected.extend_from_slice(&[3, 1, 0x70, 0, 0xF8, 3, 0, 1, 0, 1, 0x70, 0, 0xF8]);
        // 0x20000406 is twice the first reference; the second is 2 more.
        expected.extend_from_slice(&[0x86, 0x88, 0x80, 0x80, 0x02, 0x04]);
        assert_eq!(round_trip(&[piece]), expected);
    }

    #[test]
    fn a_record_that_is_cut_off_stays_in_its_piece() {
        let mut cut = piece(2, EventWords::new().extended(UPDATE, &[3, 0x20, 0, 0x40]));
        cut.truncate(cut.len() - 6);
        round_trip(&[cut, piece(3, calls(9)), vec![0xFF; 7], Vec::new()]);
        round_trip(&[]);
    }

    #[test]
    fn what_is_missing_or_too_much_is_an_error() {
        let content = round_trip(&[piece(1, calls(0x1000_0000))]);
        for length in 0..content.len() {
            assert!(
                EventColumns::decode(&content[..length]).is_err(),
                "{length}"
            );
        }
        let longer = [content.as_slice(), &[0]].concat();
        assert!(EventColumns::decode(&longer).is_err());
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused() {
        let mut content = vec![1];
        put_varint(MAX_CONTENT as u64 + 1, &mut content);
        content.push(0);
        assert!(EventColumns::decode(&content).is_err());
    }

    fn word() -> impl Strategy<Value = u32> {
        let record = (0x200_u32..0x205, 0_u32..5);
        let short = (0x0E00_u32..0x1_0000, 0_u32..5);
        prop_oneof![
            3 => record.prop_map(|(op, n)| (0xF_0000 + op) << 12 | n),
            3 => short.prop_map(|(op, n)| (0xF_0000 + op) << 12 | n),
            2 => any::<u32>(),
            2 => 0x1000_0000_u32..0x1000_0100,
        ]
    }

    proptest! {
        #[test]
        fn any_words_come_back(pieces in prop::collection::vec((prop::collection::vec(word(), 0..200), 0_usize..4), 0..5)) {
            let pieces: Vec<Vec<u8>> = pieces.into_iter().map(|(words, tail)| {
                let words = words.into_iter().fold(EventWords::new(), EventWords::word);
                let mut content = piece(1, words);
                content.extend_from_slice(&[0xF2, 0, 0][..tail.min(3)]);
                content
            }).collect();
            round_trip(&pieces);
        }

        #[test]
        fn any_bytes_come_back(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4)) {
            round_trip(&pieces);
        }

        #[test]
        fn damage_never_panics(content in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = EventColumns::decode(&content);
        }
    }
}
