//! Reads a stream block by block. Blocks can be decoded in any order and on any thread.

use std::io::{ErrorKind, Read};

use crate::stream::block::{
    BLOCK_HEADER, END, FILE_HEADER, LONGEST, MAGIC, RECORDS, RECORDS_HEADER, VERSION, checksum,
    take_u32, take_u64,
};
use crate::stream::decoder::Decoder;
use crate::stream::encoder::BlockState;
use crate::stream::error::{RecordFault, StreamError};
use crate::stream::record::{Record, ThreadId, Time};

/// Reads the blocks of a stream; stops at the first fault.
#[derive(Debug)]
pub struct BlockReader<R: Read> {
    input: R,
    at: u64,
    ended: Option<u64>,
}

/// The bytes of one block of records.
#[derive(Debug)]
pub struct Block {
    at: u64,
    payload: Vec<u8>,
}

/// The content of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockRecords {
    /// Where the block begins in the stream.
    pub at: u64,
    /// The time before its first record.
    pub time: Time,
    /// The time after its last record.
    pub end_time: Time,
    /// The thread of its first event.
    pub thread: ThreadId,
    /// Its records.
    pub records: Vec<Record>,
}

impl<R: Read> BlockReader<R> {
    /// Reads the file header.
    ///
    /// # Errors
    /// When it is another kind of file, or of a later version.
    pub fn new(mut input: R) -> Result<Self, StreamError> {
        let mut header = Vec::new();
        read_into(&mut input, &mut header, FILE_HEADER as u64, 0)?;
        let mut rest = header.strip_prefix(&MAGIC).ok_or(StreamError::NotAStream)?;
        let version = match rest.split_first_chunk::<2>() {
            Some((version, after)) => {
                rest = after;
                u16::from_le_bytes(*version)
            }
            None => return Err(StreamError::Cut { at: 0 }),
        };
        if version != VERSION {
            let known = VERSION;
            return Err(StreamError::Version { version, known });
        }
        if rest.len() < 2 {
            return Err(StreamError::Cut { at: 0 });
        }
        Ok(Self {
            input,
            at: FILE_HEADER as u64,
            ended: None,
        })
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Records of the stream by its end block; `None` before that was read.
    #[must_use]
    pub fn records_by_end(&self) -> Option<u64> {
        self.ended
    }

    /// The next block of records; `None` at the end of the stream. Blocks of other kinds are stepped over.
    ///
    /// # Errors
    /// When the stream is cut or damaged there.
    pub fn next_block(&mut self) -> Result<Option<Block>, StreamError> {
        while self.ended.is_none() {
            let at = self.at;
            let (kind, payload) = self.take_block()?;
            match kind {
                RECORDS => return Ok(Some(Block { at, payload })),
                END => {
                    let mut rest = payload.as_slice();
                    self.ended = Some(take_u64(&mut rest).ok_or(StreamError::Cut { at })?);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn take_block(&mut self) -> Result<(u32, Vec<u8>), StreamError> {
        let at = self.at;
        let mut header = Vec::new();
        read_into(&mut self.input, &mut header, BLOCK_HEADER as u64, at)?;
        if header.is_empty() {
            return Err(StreamError::NoEnd { at });
        }
        let mut rest = header.as_slice();
        let mut next = || take_u32(&mut rest).ok_or(StreamError::Cut { at });
        let (kind, length, expected) = (next()?, next()?, next()?);
        if length > LONGEST {
            let limit = LONGEST;
            return Err(StreamError::BlockLength { at, length, limit });
        }
        let mut payload = Vec::new();
        read_into(&mut self.input, &mut payload, u64::from(length), at)?;
        if payload.len() as u64 != u64::from(length) {
            return Err(StreamError::Cut { at });
        }
        let found = checksum(kind, length, &payload);
        if found != expected {
            return Err(StreamError::Checksum {
                at,
                expected,
                found,
            });
        }
        self.at = at + BLOCK_HEADER as u64 + u64::from(length);
        Ok((kind, payload))
    }
}

/// Reads at most `length` bytes. `read_to_end` makes room as bytes come, never for what a length claims.
fn read_into(
    input: &mut impl Read,
    bytes: &mut Vec<u8>,
    length: u64,
    at: u64,
) -> Result<(), StreamError> {
    match input.take(length).read_to_end(bytes) {
        Ok(_) => Ok(()),
        Err(source) if source.kind() == ErrorKind::UnexpectedEof => Ok(()),
        Err(source) => Err(StreamError::Read { at, source }),
    }
}

impl Block {
    /// The block's bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.payload.len()
    }

    /// Decodes all records.
    ///
    /// # Errors
    /// At the first record that cannot be.
    pub fn decode(&self) -> Result<BlockRecords, StreamError> {
        let mut records = Vec::new();
        let mut block = BlockRecords {
            at: self.at,
            ..BlockRecords::default()
        };
        self.for_each(&mut block, |record| records.push(record))?;
        block.records = records;
        Ok(block)
    }

    fn for_each(
        &self,
        block: &mut BlockRecords,
        mut take: impl FnMut(Record),
    ) -> Result<(), StreamError> {
        let at = self.at;
        let mut rest = self.payload.as_slice();
        let cut = StreamError::Cut { at };
        if rest.len() < RECORDS_HEADER {
            return Err(cut);
        }
        let (Some(time), Some(latest), Some(thread)) = (
            take_u64(&mut rest),
            take_u64(&mut rest),
            take_u32(&mut rest),
        ) else {
            return Err(cut);
        };
        let mut count = 0;
        let fault = |record, fault| StreamError::Record { at, record, fault };
        if latest >= crate::stream::record::ObjectId::LIMIT {
            return Err(fault(0, RecordFault::Object(latest.into())));
        }
        let mut decoder = Decoder::new(
            rest,
            BlockState {
                time,
                latest,
                clocks: [0; 3],
            },
        );
        while let Some(record) = decoder.next_record().map_err(|found| fault(count, found))? {
            take(record);
            count += 1;
        }
        block.time = time;
        block.thread = ThreadId(thread);
        block.end_time = decoder.state().time;
        Ok(())
    }
}
