//! Definitions that the trace file of a killed or running process does not have yet.

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

use ducktrack_trace_format::{
    BlockKind, Damage, JOURNAL_FILE_NAME, JournalBlock, Record, RecordStream,
};

use crate::block_reader::{Block, BlockReader};

/// The records of the journal of a trace, but for those that the trace file has.
///
/// A last block that is cut is no damage: nothing that its records are needed for has happened.
#[derive(Debug)]
pub(crate) struct JournalRecords {
    blocks: BlockReader<File>,
    /// Records that the trace file has.
    known: u64,
    records: VecDeque<Record>,
}

impl JournalRecords {
    /// `None`: there is no journal, or one without a whole header.
    pub(crate) fn open(directory: &Path, known: u64) -> Option<Self> {
        let file = File::open(directory.join(JOURNAL_FILE_NAME)).ok()?;
        let blocks = BlockReader::start(file, |kind| kind == BlockKind::JOURNAL).ok()?;
        Some(Self {
            blocks,
            known,
            records: VecDeque::new(),
        })
    }

    /// What was found wrong, once all records were read.
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
