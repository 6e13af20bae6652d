//! From a buffer that was handed over to its place in a block: a block of its own, or the columns of a block of `mode=full`.

use std::time::Instant;

use ducktrack_heap_mirror::PieceFacts;
use ducktrack_trace_format::{
    BlockKind, Compression, EventBlock, EventBlockHeader, EventDecoder, EventFlags,
    ReferenceColumn, ShortWords, Word,
};

use super::piece_reading::PieceReading;
use super::{Pipeline, nanos_since};
use crate::event_log::buffer_words::{BufferWords, Durable};
use crate::event_log::flush_queue::Buffer;
use crate::event_log::output::OpenColumns;

/// What became of a piece.
struct ReadPiece {
    /// Words in `short`.
    written: usize,
    /// Its words are whole events.
    is_whole: bool,
}

impl Pipeline {
    pub(super) fn write_buffer(&mut self, mut buffer: Buffer) {
        let start = Instant::now();
        self.flag(&mut buffer);
        let (header, bytes) = (buffer.header, buffer.words.len());
        let compression = self.compression();
        match self.columns_for(compression) {
            Some(columns) => self.add_to_columns(columns, buffer),
            None => {
                let content = self.read(&buffer);
                let durable = self.durable(buffer);
                let output = &mut self.parts.output;
                output.block(BlockKind::EVENTS, content, compression, durable);
            }
        }
        self.stats.event_bytes += bytes as u64;
        if header.flags.has(EventFlags::THREAD_ENDED) {
            self.threads.end(header.thread);
            self.hand_out_last_sums();
        }
        self.stats.buffers += 1;
        self.stats.buffer_nanos += nanos_since(start);
        self.publish();
    }

    /// What keeps a buffer until it is in its file, if something does; else its memory serves again.
    fn durable(&mut self, buffer: Buffer) -> Option<Box<dyn Durable>> {
        match buffer.words {
            BufferWords::Durable(words) => Some(words),
            BufferWords::Own(words) => {
                self.spare.put(words);
                None
            }
        }
    }

    /// Sets the flags that follow from the order of pieces.
    fn flag(&mut self, buffer: &mut Buffer) {
        let header = &mut buffer.header;
        if header.epoch < self.epoch {
            header.flags = header.flags.with(EventFlags::LATE);
            self.stats.late_buffers += 1;
        }
        if self.threads.begins_epoch(header.thread, header.epoch) {
            header.flags = header.flags.with(EventFlags::AFTER_CUT);
        }
    }

    fn encode_head(&mut self, header: &EventBlockHeader) {
        self.head.clear();
        header.encode(&mut self.head);
    }

    /// The content of a block with its header and room for `length` bytes; also returns where that room begins.
    fn content(&mut self, header: &EventBlockHeader, length: usize) -> (Vec<u8>, usize) {
        self.encode_head(header);
        let start = self.head.len();
        while let Some(bytes) = self.parts.output.spare_piece() {
            self.spare.put(bytes);
        }
        let mut content = self.spare.take(start + length + size_of::<Word>());
        content.resize(start + length, 0);
        if let Some(room) = content.get_mut(..start) {
            room.copy_from_slice(&self.head);
        }
        (content, start)
    }

    /// The content of a piece's block, with shortened words.
    fn read(&mut self, buffer: &Buffer) -> Vec<u8> {
        let (words, tail) = buffer.words.as_chunks::<4>();
        let (mut content, start) = self.content(&buffer.header, words.len() * 4);
        let (room, _) = content.get_mut(start..).unwrap_or_default().as_chunks_mut();
        let read = self.decode(buffer, ShortWords::new(room), None);
        content.truncate(start + read.written * 4);
        content.extend_from_slice(tail);
        content
    }

    /// Counts the events of a piece and keeps its objects for the mirror; its words go to `short`, and the references of its records to
    /// `references`, if that is given.
    fn decode(
        &mut self,
        buffer: &Buffer,
        short: ShortWords<'_>,
        references: Option<&mut ReferenceColumn>,
    ) -> ReadPiece {
        let header = buffer.header;
        self.shortener.begin();
        let mut sums = self.sums_of(header.thread);
        let mirror = self.heap.keeper();
        let mut reading = PieceReading {
            piece: PieceFacts::of(&header, self.epoch, &self.threads),
            facts: &self.parts.facts,
            host: &*self.parts.host,
            sites: &mut self.sites,
            sums: &mut sums,
            shortener: &mut self.shortener,
            short,
            references,
            objects: mirror.is_some().then_some(&mut self.objects),
            tally: &mut *self.parts.tally,
            mirror,
            explained: &mut self.explained,
            events: 0,
        };
        let block = EventBlock {
            header,
            words: &buffer.words,
        };
        let result = EventDecoder::new(&self.parts.facts).decode_into(&block, &mut reading);
        let (events, written) = reading.finish();
        self.stats.events += events;
        self.sums.put(sums);
        match &result {
            Ok(piece)
                if header.flags.has(EventFlags::CUT) && !header.flags.has(EventFlags::LATE) =>
            {
                self.threads.note_last_top(header.thread, piece.last_top);
            }
            Ok(_) => {}
            Err(_) => self.stats.broken_buffers += 1,
        }
        if let Some(mirror) = self.heap.keeper() {
            mirror.end_piece(&header, &mut self.objects);
            // How the mirror keeps objects of a pair holds for a piece.
            self.hand_out_sums();
        }
        ReadPiece {
            written,
            is_whole: result.is_ok(),
        }
    }

    /// The block with columns for the next piece, if it goes into one.
    fn columns_for(&mut self, compression: Compression) -> Option<OpenColumns> {
        match compression {
            Compression::Lz4 => self.parts.output.take_columns(),
            Compression::Off => None,
        }
    }

    /// Reads a piece into columns. One whose words are no whole events becomes a block of its own, as it is.
    fn add_to_columns(&mut self, mut columns: OpenColumns, buffer: Buffer) {
        let (words, tail) = buffer.words.as_chunks::<{ size_of::<Word>() }>();
        let (short, references) = columns.encoder.begin_piece(words.len());
        let read = self.decode(&buffer, short, Some(references));
        self.encode_head(&buffer.header);
        let length = self.head.len() + buffer.words.len();
        if read.is_whole {
            columns.encoder.end_piece(&self.head, read.written, tail);
            let durable = self.durable(buffer);
            self.parts.output.piece(columns, length, durable);
            return;
        }
        self.parts.output.without_piece(columns);
        let content = [self.head.as_slice(), &buffer.words].concat();
        let durable = self.durable(buffer);
        self.block_of(BlockKind::EVENTS, content, durable);
    }
}
