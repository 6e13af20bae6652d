//! Encoded definitions that wait for the file, grouped into contents of one block each.

use std::collections::VecDeque;

use ducktrack_trace_format::{MAX_CONTENT, Record, push_record};

use crate::WriteError;

/// A queue of block contents; the last one is open for more records.
pub(crate) struct WaitingRoom {
    blocks: VecDeque<Vec<u8>>,
    /// The last record.
    encoded: Vec<u8>,
    bytes: usize,
    block_bytes: usize,
    most_bytes: usize,
}

impl WaitingRoom {
    pub(crate) fn new(block_bytes: usize, most_bytes: usize) -> Self {
        Self {
            blocks: VecDeque::new(),
            encoded: Vec::new(),
            bytes: 0,
            block_bytes,
            most_bytes,
        }
    }

    /// Adds a record and returns its bytes; refuses it when the room is full.
    pub(crate) fn push(&mut self, record: &Record) -> Result<&[u8], WriteError> {
        self.encoded.clear();
        push_record(record, &mut self.encoded)?;
        let bytes = self.encoded.as_slice();
        if self.bytes + bytes.len() > self.most_bytes {
            return Err(WriteError::WaitingRoomFull {
                waiting: self.bytes,
            });
        }
        self.bytes += bytes.len();
        match self.blocks.back_mut() {
            Some(open)
                if open.len() < self.block_bytes && open.len() + bytes.len() <= MAX_CONTENT =>
            {
                open.extend_from_slice(bytes);
            }
            _ => self.blocks.push_back(bytes.to_vec()),
        }
        Ok(bytes)
    }

    /// True when waiting longer would not make the first block larger.
    pub(crate) fn has_full_block(&self) -> bool {
        self.blocks
            .front()
            .is_some_and(|first| first.len() >= self.block_bytes)
    }

    /// The content of the next block.
    pub(crate) fn first(&self) -> Option<&[u8]> {
        self.blocks.front().map(Vec::as_slice)
    }

    /// Removes the first content, which has been written.
    pub(crate) fn remove_first(&mut self) {
        if let Some(first) = self.blocks.pop_front() {
            self.bytes -= first.len();
        }
    }
}
