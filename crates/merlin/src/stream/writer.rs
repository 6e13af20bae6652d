//! Writes a stream.

use std::io::Write;

use thiserror::Error;

use crate::stream::block::{END, RECORDS, block_header, file_header};
use crate::stream::encoder::{BlockState, Unwritable, encode};
use crate::stream::error::StreamError;
use crate::stream::record::{Record, ThreadId, Time};

/// A block is closed when it has this many bytes. With the longest definition it stays far below the limit.
const FULL: usize = 256 << 10;

/// Why a record was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The bytes could not be written.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// A clock went back.
    #[error("a clock reads less at time {0} than before")]
    ClockWentBack(Time),
    /// A stamp lies in the future.
    #[error("a stamp lies after time {0}, when it is written")]
    FutureStamp(Time),
    /// The time does not fit 64 bits.
    #[error("the time after {0} does not fit 64 bits")]
    Time(Time),
}

/// Writes records as blocks. [`finish`](Self::finish) must be called: else the stream ends as one that was cut.
#[derive(Debug)]
pub struct StreamWriter<W: Write> {
    out: W,
    payload: Vec<u8>,
    state: BlockState,
    thread: ThreadId,
    records: u64,
}

impl<W: Write> StreamWriter<W> {
    /// Writes the file header.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    pub fn new(mut out: W) -> Result<Self, StreamError> {
        out.write_all(&file_header()).map_err(StreamError::Write)?;
        let mut writer = Self {
            out,
            payload: Vec::with_capacity(FULL + 1024),
            state: BlockState::default(),
            thread: ThreadId(0),
            records: 0,
        };
        writer.begin_block();
        Ok(writer)
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When the bytes cannot be written, or the record contradicts those before; the record is then left out.
    pub fn write(&mut self, record: &Record) -> Result<(), WriteError> {
        encode(&mut self.payload, &mut self.state, record).map_err(|fault| {
            let time = self.state.time;
            match fault {
                Unwritable::ClockWentBack => WriteError::ClockWentBack(time),
                Unwritable::FutureStamp => WriteError::FutureStamp(time),
                Unwritable::Time => WriteError::Time(time),
            }
        })?;
        if let Record::Thread(thread) = record {
            self.thread = *thread;
        }
        self.records += 1;
        if self.payload.len() >= FULL {
            self.end_block()?;
        }
        Ok(())
    }

    /// The stream's time: events and ticks so far.
    #[must_use]
    pub fn time(&self) -> Time {
        self.state.time
    }

    /// Closes the block, so that readers of a growing file see all of it.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    pub fn end_block(&mut self) -> Result<(), StreamError> {
        let payload = std::mem::take(&mut self.payload);
        self.put_block(RECORDS, &payload)?;
        self.payload = payload;
        self.begin_block();
        Ok(())
    }

    /// Writes the rest and the end block.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    pub fn finish(mut self) -> Result<W, StreamError> {
        self.end_block()?;
        let records = self.records.to_le_bytes();
        self.put_block(END, &records)?;
        self.out.flush().map_err(StreamError::Write)?;
        Ok(self.out)
    }

    fn begin_block(&mut self) {
        self.state = self.state.next_block();
        self.payload.clear();
        self.payload
            .extend_from_slice(&self.state.time.to_le_bytes());
        self.payload
            .extend_from_slice(&self.state.latest.to_le_bytes());
        self.payload.extend_from_slice(&self.thread.0.to_le_bytes());
    }

    fn put_block(&mut self, kind: u32, payload: &[u8]) -> Result<(), StreamError> {
        let header = block_header(kind, payload);
        self.out.write_all(&header).map_err(StreamError::Write)?;
        self.out.write_all(payload).map_err(StreamError::Write)
    }
}
