//! The writer of count mode: definitions wait in memory, snapshots bring everything to the file.

use ducktrack_trace_format::{
    BlockKind, Compression, End, MAX_RECORD, Record, Snapshot, push_record,
};

use crate::compaction::compacted;
use crate::definitions_journal::DefinitionsJournal;
use crate::losses::Losses;
use crate::snapshot_parts::write_parts;
use crate::trace_file::TraceFile;
use crate::waiting_room::WaitingRoom;
use crate::{SnapshotDelta, WriteError};

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether blocks are compressed.
    pub compression: Compression,
    /// Definitions go to the file when about this many bytes of them wait (or with a snapshot).
    pub block_bytes: usize,
    /// While the file cannot be written, at most this many bytes of definitions wait; what comes then is dropped and counted.
    pub waiting_bytes: usize,
    /// A snapshot is written in parts of about this many bytes.
    pub part_bytes: usize,
    /// A file that grows over this many bytes is made short again: it keeps all definitions and values, and loses the
    /// history of values. Each time the limit is at least twice what was left.
    pub compact_over: u64,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            compression: Compression::Lz4,
            block_bytes: 256 << 10,
            waiting_bytes: 64 << 20,
            part_bytes: 1 << 20,
            compact_over: 256 << 20,
        }
    }
}

impl WriterOptions {
    /// Parts are estimated from above, but types of any length come on top; half a record leaves room for them.
    fn part_limit(&self) -> usize {
        self.part_bytes.min(MAX_RECORD / 2)
    }
}

/// Writes the trace of one run in count mode.
///
/// Every call that meets an error leaves a file that ends with a whole block, remembers the failure for the end
/// record ([`CountWriter::losses`]) and can simply be followed by the next call: nothing that waits is forgotten.
/// When the process is killed, all values up to the last snapshot are in the file, and all definitions up to the last [`CountWriter::secure`] in the file or
/// its journal (in the system's hands, not necessarily on the disk: they survive the process, not a power cut).
pub struct CountWriter {
    file: TraceFile,
    journal: DefinitionsJournal,
    options: WriterOptions,
    waiting: WaitingRoom,
    written: SnapshotDelta,
    losses: Losses,
    /// The last attempt failed: definitions alone do not try again, snapshots do.
    failing: bool,
    ended: bool,
    /// Length of the file at which it is made short.
    compact_at: u64,
}

impl CountWriter {
    pub(crate) fn new(
        mut file: TraceFile,
        journal: DefinitionsJournal,
        options: WriterOptions,
    ) -> Self {
        file.set_compression(options.compression);
        Self {
            file,
            journal,
            options,
            waiting: WaitingRoom::new(options.block_bytes.min(MAX_RECORD), options.waiting_bytes),
            written: SnapshotDelta::new(),
            losses: Losses::default(),
            failing: false,
            ended: false,
            compact_at: options.compact_over,
        }
    }

    /// Adds a definition (any record but a snapshot or the end). It reaches the file when enough wait, with the
    /// next snapshot, or with [`CountWriter::flush`], and survives the process from the next [`CountWriter::secure`] on.
    pub fn define(&mut self, record: &Record) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        match self.waiting.push(record) {
            Ok(bytes) => self.journal.push(&bytes),
            Err(error) => {
                self.losses.definition(&error);
                return Err(error);
            }
        }
        if self.waiting.has_full_block() && !self.failing {
            return self.flush();
        }
        Ok(())
    }

    /// Makes all waiting definitions survive the process, at the cost of a small write: what depends on them may happen from now on.
    pub fn secure(&mut self) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.journal.secure();
        if let Err(error) = &result {
            self.losses.attempt(error);
        }
        result
    }

    /// Brings all waiting definitions to the file.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.file.keep_name().and_then(|_| self.write_waiting());
        if let Err(error) = &result {
            self.losses.attempt(error);
        }
        self.failing = result.is_err();
        result
    }

    fn write_waiting(&mut self) -> Result<(), WriteError> {
        while let Some(content) = self.waiting.first() {
            self.file.append(BlockKind::DEFINITIONS, content)?;
            self.waiting.remove_first();
        }
        self.journal.begin_anew();
        Ok(())
    }

    /// Writes a snapshot, after everything that waits. `complete` names every value that is not 0; what has not
    /// changed since the last written snapshot is left out here.
    pub fn snapshot(&mut self, complete: &Snapshot) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.try_snapshot(complete);
        self.failing = result.is_err();
        match &result {
            Ok(()) => {
                self.written.remember(complete);
                self.compact_if_long(complete);
            }
            Err(error) => self.losses.snapshot(error),
        }
        result
    }

    /// A failure changes nothing, the long file goes on; it is tried again when the file is twice as long.
    fn compact_if_long(&mut self, complete: &Snapshot) {
        if self.file.length() <= self.compact_at {
            return;
        }
        let options = &self.options;
        if let Ok(short) = compacted(
            &self.file,
            complete,
            options.compression,
            options.part_limit(),
        ) {
            self.file = short;
        }
        self.compact_at = options
            .compact_over
            .max(self.file.length().saturating_mul(2));
    }

    fn try_snapshot(&mut self, complete: &Snapshot) -> Result<(), WriteError> {
        self.file.keep_name()?;
        self.write_waiting()?;
        let before = self.file.checkpoint();
        let changed = self.written.changed(complete);
        let written = write_parts(&mut self.file, changed, self.options.part_limit());
        if written.is_err() {
            // Half a snapshot would only be damage to the reader.
            self.file.take_back(before);
        }
        written
    }

    /// Writes the agent's last word, with the losses of this writer added to those of the agent.
    pub fn finish(&mut self, mut end: End) -> Result<(), WriteError> {
        self.flush()?;
        end.losses.extend(self.losses());
        let mut content = Vec::new();
        push_record(&Record::End(end), &mut content)?;
        self.file.append(BlockKind::END, &content)?;
        self.journal.discard();
        self.ended = true;
        Ok(())
    }

    /// What could not be written so far, one sentence for each sort of failure.
    pub fn losses(&self) -> Vec<String> {
        self.losses.sentences()
    }

    /// Bytes in the file.
    pub fn bytes_written(&self) -> u64 {
        self.file.length()
    }

    /// The trace file.
    pub fn file(&self) -> &std::path::Path {
        self.file.path()
    }
}

/// A writer that is dropped without [`CountWriter::finish`] brings what waits to the file; the missing end record says the rest.
impl Drop for CountWriter {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.write_waiting();
        }
    }
}

#[cfg(test)]
mod tests;
