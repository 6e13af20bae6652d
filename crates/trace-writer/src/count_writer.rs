//! Writes traces in count mode: definitions wait in memory, snapshots write everything to the file.

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

/// Block sizes, memory limits and compression of a [`CountWriter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether blocks are compressed.
    pub compression: Compression,
    /// Waiting definitions are written when they reach about this many bytes, or with a snapshot.
    pub block_bytes: usize,
    /// While the file cannot be written, at most this many bytes of definitions wait; later ones are dropped and counted.
    pub waiting_bytes: usize,
    /// A snapshot is written in parts of about this many bytes.
    pub part_bytes: usize,
    /// A file that grows beyond this many bytes is compacted: it keeps all definitions and values, but not the
    /// history of values. After a compaction the limit is at least twice the remaining size.
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
    /// Part sizes are estimates from above, except that type names can have any length; half a record leaves room for
    /// them.
    fn part_limit(&self) -> usize {
        self.part_bytes.min(MAX_RECORD / 2)
    }
}

/// Writes the trace of one run in count mode.
///
/// After an error the file still ends with a whole block, and the failure is remembered for the end record ([`CountWriter::losses`]). The
/// caller simply makes the next call: no waiting definition is forgotten. If the process is killed, the file holds all values up to the
/// last snapshot, and the file or its journal holds all definitions up to the last [`CountWriter::secure`]. These bytes are in the kernel's
/// hands, not necessarily on the disk: they survive the process, but not a power cut.
pub struct CountWriter {
    file: TraceFile,
    journal: DefinitionsJournal,
    options: WriterOptions,
    waiting: WaitingRoom,
    written: SnapshotDelta,
    losses: Losses,
    /// The last attempt failed: snapshots try again, definitions alone do not.
    failing: bool,
    ended: bool,
    /// Length at which the file is compacted.
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

    /// Adds a definition (any record but a snapshot or the end). It is written when enough definitions wait, with the
    /// next snapshot, or by [`CountWriter::flush`]. It survives the process after the next [`CountWriter::secure`].
    pub fn define(&mut self, record: &Record) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        match self.waiting.push(record) {
            Ok(bytes) => self.journal.push(bytes),
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

    /// Makes all waiting definitions survive the process, with one small write. Code that depends on them may run after this.
    pub fn secure(&mut self) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.journal.secure();
        match &result {
            Ok(()) | Err(WriteError::Waiting) => {}
            Err(error) => self.losses.attempt(error),
        }
        result
    }

    /// Writes all waiting definitions to the file.
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

    /// Writes a snapshot, after all waiting definitions. `complete` names every value that is not 0; values that have
    /// not changed since the last written snapshot are left out of the file.
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

    /// After a failure the long file stays in use; compaction is tried again when the file is twice as long.
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
            // A reader would report half a snapshot as damage.
            self.file.take_back(before);
        }
        written
    }

    /// Writes the end record, with the losses of this writer added to those of the agent.
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

    /// What could not be written so far, one sentence for each kind of failure.
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

/// A writer that is dropped without [`CountWriter::finish`] writes its waiting definitions. The trace has no end record then.
impl Drop for CountWriter {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.write_waiting();
        }
    }
}

#[cfg(test)]
mod tests;
