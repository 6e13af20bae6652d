//! Definitions that the trace file of a killed or running process does not have yet.

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

use ducktrack_trace_format::{
    BlockKind, Damage, JOURNAL_FILE_NAME, JournalBlock, Record, RecordStream,
};

use crate::block_reader::{Block, BlockReader};

/// The records in the journal of a trace, without those that the trace file has.
///
/// A last block that was cut off is not damage: nothing that depends on its records has happened.
#[derive(Debug)]
pub(crate) struct JournalRecords {
    blocks: BlockReader<File>,
    /// Number of records that the trace file has.
    known: u64,
    records: VecDeque<Record>,
}

impl JournalRecords {
    /// `None` if there is no journal, or one without a whole header.
    pub(crate) fn open(directory: &Path, known: u64) -> Option<Self> {
        let file = File::open(directory.join(JOURNAL_FILE_NAME)).ok()?;
        let blocks = BlockReader::start(file, |kind| kind == BlockKind::JOURNAL).ok()?;
        Some(Self {
            blocks,
            known,
            records: VecDeque::new(),
        })
    }

    /// The damage found, once all records have been read.
    pub(crate) fn damage(&self) -> Vec<Damage> {
        let mut findings = self.blocks.damage.findings();
        findings.retain(|damage| !matches!(damage, Damage::Cut { .. }));
        findings
    }

    fn take(&mut self, block: &Block) {
        let Ok(JournalBlock { first, records }) = JournalBlock::decode(&block.content) else {
            return self.blocks.damage.bad_record(block.at);
        };
        for (number, record) in (first..).zip(RecordStream::new(records)) {
            match record {
                Ok(record) if number >= self.known => self.records.push_back(record),
                Ok(_) => {}
                Err(_) => self.blocks.damage.bad_record(block.at),
            }
        }
    }
}

impl Iterator for JournalRecords {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.records.is_empty() {
            let block = self.blocks.next_block()?;
            self.take(&block);
        }
        self.records.pop_front()
    }
}
