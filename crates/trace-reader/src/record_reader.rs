//! The records of one trace file.

use std::io::Read;

use ducktrack_trace_format::{BlockKind, Damage, FormatError, Record, RecordStream};

use crate::StartError;
use crate::block_reader::{Block, BlockReader};

/// Reads the records of one file in order, with bounded memory.
///
/// Damage never ends the program and never panics: readable records are returned, and [`RecordReader::damage`]
/// reports the rest once the iterator has ended.
#[derive(Debug)]
pub struct RecordReader<R> {
    blocks: BlockReader<R>,
    block: Option<Block>,
    /// Offset of the next record in the content of `block`.
    offset: usize,
    ended_properly: bool,
    finished: bool,
    /// Definition records so far, including those that do not decode.
    definitions: u64,
}

impl<R: Read> RecordReader<R> {
    /// Reads the file header.
    pub fn start(input: R) -> Result<Self, StartError> {
        Ok(Self {
            blocks: BlockReader::start(input, BlockKind::holds_records)?,
            block: None,
            offset: 0,
            ended_properly: false,
            finished: false,
            definitions: 0,
        })
    }

    /// The damage found so far; complete once the iterator has ended.
    pub fn damage(&self) -> Vec<Damage> {
        self.blocks.damage.findings()
    }

    /// True once the end record has been read.
    pub fn ended_properly(&self) -> bool {
        self.ended_properly
    }

    /// Definition records so far, including those that do not decode.
    pub(crate) fn definitions(&self) -> u64 {
        self.definitions
    }

    /// Bytes of the file that have been read.
    pub fn bytes_read(&self) -> u64 {
        self.blocks.position()
    }

    /// The next record of the current block.
    fn next_in_block(&mut self) -> Option<Result<Record, FormatError>> {
        let block = self.block.as_ref()?;
        let mut stream = RecordStream::starting_at(&block.content, self.offset);
        let record = stream.next()?;
        self.offset = stream.offset();
        self.definitions += u64::from(block.kind == BlockKind::DEFINITIONS);
        Some(record)
    }

    fn note(&mut self, error: &FormatError) {
        let at = self.block.as_ref().map_or(0, |block| block.at);
        match error {
            FormatError::UnknownRecord { .. } => self.blocks.damage.unknown_record(at),
            _ => self.blocks.damage.bad_record(at),
        }
    }

    /// Stops at the end record; further bytes are damage.
    fn end(&mut self) {
        self.ended_properly = true;
        self.finished = true;
        if self.blocks.has_more() {
            let at = self.blocks.position();
            self.blocks.damage.add(Damage::AfterEnd { at });
        }
        self.blocks.stop();
    }

    /// Goes to the next block; false at the end of the file.
    fn next_block(&mut self) -> bool {
        self.block = self.blocks.next_block();
        self.offset = 0;
        if self.block.is_none() {
            self.finished = true;
            if self.blocks.ended_whole() {
                let at = self.blocks.position();
                self.blocks.damage.add(Damage::NoEnd { at });
            }
        }
        self.block.is_some()
    }
}

impl<R: Read> Iterator for RecordReader<R> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while !self.finished {
            match self.next_in_block() {
                Some(Ok(record)) => {
                    if matches!(record, Record::End(_)) {
                        self.end();
                    }
                    return Some(record);
                }
                Some(Err(error)) => self.note(&error),
                None => {
                    self.next_block();
                }
            }
        }
        None
    }
}
