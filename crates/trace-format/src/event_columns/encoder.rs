//! Writes pieces into the columns of one block.

use super::references::ReferenceColumn;
use crate::event_sink::Word;
use crate::piece_words::word_length;
use crate::varint::put_varint;
use crate::{EventBlock, PieceWords, ShortWords};

/// The pieces of a block of kind 23 that is being written. Its memory serves for one block after the other.
///
/// The words of a piece are written in the order of the piece: records by
/// [`ReferenceColumn::take`], all others by [`ShortWords`]; those must be whole events.
#[derive(Debug, Default)]
pub struct EventColumnsEncoder {
    pieces: usize,
    lengths: Vec<u8>,
    heads: Vec<u8>,
    /// Longer than what is written.
    operations: Vec<Word>,
    operation_count: usize,
    references: ReferenceColumn,
}

impl EventColumnsEncoder {
    /// Begins a piece that has `words` words or fewer.
    pub fn begin_piece(&mut self, words: usize) -> (ShortWords<'_>, &mut ReferenceColumn) {
        let end = self.operation_count + words;
        if self.operations.len() < end {
            self.operations.resize(end, [0; 4]);
        }
        self.references.make_room(words);
        let room = self.operations.get_mut(self.operation_count..end);
        (
            ShortWords::new(room.unwrap_or_default()),
            &mut self.references,
        )
    }

    /// Ends the piece. `operations`: how many words were written to [`ShortWords`];
    /// `head` is what precedes the piece's words, `tail` what follows the last whole one.
    pub fn end_piece(&mut self, head: &[u8], operations: usize, tail: &[u8]) {
        let references = self.references.end_piece();
        let length = head.len() + (operations + references) * size_of::<Word>() + tail.len();
        self.pieces += 1;
        put_varint(length as u64, &mut self.lengths);
        put_varint(head.len() as u64, &mut self.lengths);
        self.heads.extend_from_slice(head);
        self.heads.extend_from_slice(tail);
        self.operation_count += operations;
    }

    /// Adds the content of a block of kind 16. False if its words are no whole events: it cannot be in columns.
    pub fn add(&mut self, piece: &[u8]) -> bool {
        let Ok(block) = EventBlock::decode(piece) else {
            return false;
        };
        let (words, tail) = block.words.as_chunks();
        let Some(head) = piece.get(..piece.len() - block.words.len()) else {
            return false;
        };
        if !PieceWords::are_whole_events(words) {
            return false;
        }
        let (mut short, references) = self.begin_piece(words.len());
        let mut rest = words;
        while let Some(word) = rest.first().map(|word| u32::from_le_bytes(*word)) {
            let run = references.take(rest, &mut short);
            let length = match run.words {
                0 => word_length(word).unwrap_or(1),
                words => words,
            };
            let (event, after) = rest.split_at(length.min(rest.len()));
            if run.words == 0 {
                short.copy(event);
            }
            rest = after;
        }
        let operations = short.len();
        self.end_piece(head, operations, tail);
        true
    }

    /// Appends the content of the block to `content`, and begins the next block. A piece that was begun and not ended is forgotten; nothing
    /// else may follow it.
    pub fn finish(&mut self, content: &mut Vec<u8>) {
        let operations = self.operations.get(..self.operation_count);
        put_varint(self.pieces as u64, content);
        content.extend_from_slice(&self.lengths);
        content.extend_from_slice(&self.heads);
        put_varint(self.operation_count as u64, content);
        content.extend_from_slice(operations.unwrap_or_default().as_flattened());
        put_varint(self.references.len() as u64, content);
        for part in self.references.parts() {
            content.extend_from_slice(part);
        }
        self.clear();
    }

    /// Begins a block, and forgets what was written.
    pub fn clear(&mut self) {
        self.pieces = 0;
        self.lengths.clear();
        self.heads.clear();
        self.operation_count = 0;
        self.references.clear();
    }
}
