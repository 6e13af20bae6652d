//! The records of a trace that grows: each look gives those that are new.

use std::path::{Path, PathBuf};

use ducktrack_trace_format::{BlockKind, JOURNAL_FILE_NAME, Record, RecordStream};

use crate::ReadError;
use crate::block_tail::BlockTail;
use crate::journal_records::JournalRecords;
use crate::trace_reader::trace_files;

/// See the module.
#[derive(Debug)]
pub struct TraceTail {
    directory: PathBuf,
    file: BlockTail,
    /// Records of definitions in the file so far.
    definitions: u64,
    /// Length of the journal when it was read.
    journal: u64,
}

impl TraceTail {
    /// Of the trace in a directory, from its first record on.
    ///
    /// # Errors
    /// There is no trace.
    pub fn open(directory: &Path) -> Result<Self, ReadError> {
        let missing = || ReadError::NoTrace {
            path: directory.to_owned(),
        };
        let path = trace_files(directory)?.pop().ok_or_else(missing)?;
        Ok(Self {
            directory: directory.to_owned(),
            file: BlockTail::new(path, BlockKind::holds_records, u64::MAX),
            definitions: 0,
            journal: 0,
        })
    }

    /// The records since the look before. Some may come again: all when the writer has made
    /// its file short, definitions when they have gone from the journal into the file.
    ///
    /// # Errors
    /// The system refuses to read the file.
    pub fn look(&mut self) -> Result<Vec<Record>, ReadError> {
        let new = self.file.look().map_err(|source| ReadError::Open {
            path: self.directory.clone(),
            source,
        })?;
        if new.anew {
            self.definitions = 0;
        }
        let mut records = Vec::new();
        for block in &new.blocks {
            let is_definitions = block.kind == BlockKind::DEFINITIONS;
            for record in RecordStream::new(&block.content) {
                self.definitions += u64::from(is_definitions);
                records.extend(record.ok());
            }
        }
        records.extend(self.journal());
        Ok(records)
    }

    /// Definitions that the file does not have yet, where there may be new ones.
    fn journal(&mut self) -> Vec<Record> {
        let path = self.directory.join(JOURNAL_FILE_NAME);
        let length = std::fs::metadata(path).map_or(0, |facts| facts.len());
        if length == self.journal {
            return Vec::new();
        }
        self.journal = length;
        let records = JournalRecords::open(&self.directory, self.definitions);
        records.into_iter().flatten().collect()
    }
}
