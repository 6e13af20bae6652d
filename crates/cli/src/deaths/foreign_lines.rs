//! Files of other tools, line by line: the text of Elephant Tracks, and the oracle of a simulator.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use anyhow::Result;
use clap::ValueEnum;
use ducktrack_merlin::{BlockRecords, ElephantForm, ElephantReader, OracleReader, Record};

use crate::deaths::consecutive::Consecutive;

/// Records of one piece of lines.
const BATCH: usize = 1 << 15;
/// The longest line that is a record.
const LONGEST_LINE: u64 = 1 << 16;

/// Another tool's form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Foreign {
    /// Elephant Tracks 1 and 2: hexadecimal, threads
    Et1,
    /// Elephant Tracks 3: decimal, times
    Et3,
    /// CSV with the columns alloc_seq, free_at_seq, size; type, obj_id, thread
    Oracle,
}

/// Lines that become records.
pub(crate) struct ForeignLines {
    input: BufReader<File>,
    reader: LineReader,
    length: u64,
    position: u64,
    blocks: Consecutive,
}

enum LineReader {
    Elephant(ElephantReader),
    Oracle(OracleReader),
}

impl LineReader {
    fn new(form: Foreign) -> Self {
        match form {
            Foreign::Et1 => Self::Elephant(ElephantReader::new(ElephantForm::Et1)),
            Foreign::Et3 => Self::Elephant(ElephantReader::new(ElephantForm::Et3)),
            Foreign::Oracle => Self::Oracle(OracleReader::default()),
        }
    }

    fn line(&mut self, line: &str, records: &mut Vec<Record>) -> Result<()> {
        match self {
            Self::Elephant(reader) => reader.line(line, records)?,
            Self::Oracle(reader) => reader.line(line, records)?,
        }
        Ok(())
    }

    fn finish(&mut self, records: &mut Vec<Record>) {
        match self {
            Self::Elephant(reader) => reader.finish(records),
            Self::Oracle(reader) => reader.finish(records),
        }
    }
}

impl ForeignLines {
    pub(crate) fn new(file: File, length: u64, form: Foreign) -> Self {
        Self {
            input: BufReader::new(file),
            reader: LineReader::new(form),
            length,
            position: 0,
            blocks: Consecutive::default(),
        }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn next_records(&mut self) -> Result<Option<BlockRecords>> {
        let mut records: Vec<Record> = Vec::new();
        let (at, mut line) = (self.position, Vec::new());
        while records.len() < BATCH {
            line.clear();
            let read = (&mut self.input)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)?;
            if read == 0 {
                self.reader.finish(&mut records);
                break;
            }
            self.position += read as u64;
            self.reader
                .line(&String::from_utf8_lossy(&line), &mut records)?;
        }
        if records.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.blocks.block(at, records)))
    }
}
