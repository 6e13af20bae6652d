//! The writer of count mode: definitions wait in memory, snapshots bring everything to the file.

use ducktrack_trace_format::{
    BlockKind, Compression, End, MAX_RECORD, Record, Snapshot, push_record,
};

use crate::losses::Losses;
use crate::snapshot_parts::snapshot_parts;
use crate::trace_file::TraceFile;
use crate::waiting_room::WaitingRoom;
use crate::{SnapshotDelta, WriteError};

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether blocks are compressed.
    pub compression: Compression,
    /// Definitions go to the file when about so many bytes of them wait (or with a snapshot).
    pub block_bytes: usize,
    /// While the file cannot be written, at most so many bytes of definitions wait; what comes then is dropped and counted.
    pub waiting_bytes: usize,
    /// A snapshot is written in parts of about this many bytes.
    pub part_bytes: usize,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            compression: Compression::Lz4,
            block_bytes: 256 << 10,
            waiting_bytes: 64 << 20,
            part_bytes: 1 << 20,
        }
    }
}

/// Writes the trace of one run in count mode.
///
/// Every call that meets an error leaves a file that ends with a whole block, remembers the failure for the end
/// record ([`CountWriter::losses`]) and can simply be followed by the next call: nothing that waits is forgotten.
/// When the process is killed, everything up to the last snapshot is in the file (in the system's hands, not
/// necessarily on the disk: it survives the process, not a power cut).
pub struct CountWriter {
    file: TraceFile,
    options: WriterOptions,
    waiting: WaitingRoom,
    written: SnapshotDelta,
    losses: Losses,
    /// The last attempt failed: definitions alone do not try again, snapshots do.
    failing: bool,
    ended: bool,
}

impl CountWriter {
    pub(crate) fn new(mut file: TraceFile, options: WriterOptions) -> Self {
        file.set_compression(options.compression);
        Self {
            file,
            options,
            waiting: WaitingRoom::new(options.block_bytes.min(MAX_RECORD), options.waiting_bytes),
            written: SnapshotDelta::new(),
            losses: Losses::default(),
            failing: false,
            ended: false,
        }
    }

    /// Adds a definition (any record but a snapshot or the end). It reaches the file when enough wait, with the
    /// next snapshot, or with [`CountWriter::flush`].
    pub fn define(&mut self, record: &Record) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        if let Err(error) = self.waiting.push(record) {
            self.losses.definition(&error);
            return Err(error);
        }
        if self.waiting.has_full_block() && !self.failing {
            return self.flush();
        }
        Ok(())
    }

    /// Brings all waiting definitions to the file.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.file.keep_name().and_then(|()| self.write_waiting());
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
        Ok(())
    }

    /// Writes a snapshot, after everything that waits. `complete` names every value that is not 0; what has not
    /// changed since the last written snapshot is left out here.
    pub fn snapshot(&mut self, complete: &Snapshot) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::Ended);
        }
        let result = self.try_snapshot(complete);
        match &result {
            Ok(()) => self.written.remember(complete),
            Err(error) => self.losses.snapshot(error),
        }
        self.failing = result.is_err();
        result
    }

    fn try_snapshot(&mut self, complete: &Snapshot) -> Result<(), WriteError> {
        self.file.keep_name()?;
        self.write_waiting()?;
        let before = self.file.checkpoint();
        let changed = self.written.changed(complete);
        let written = self.write_parts(changed);
        if written.is_err() {
            // Half a snapshot would only be damage to the reader.
            self.file.take_back(before);
        }
        written
    }

    fn write_parts(&mut self, snapshot: Snapshot) -> Result<(), WriteError> {
        for part in snapshot_parts(snapshot, self.options.part_bytes.min(MAX_RECORD / 2)) {
            let mut content = Vec::new();
            push_record(&Record::Snapshot(part), &mut content)?;
            self.file.append(BlockKind::VALUES, &content)?;
        }
        Ok(())
    }

    /// Writes the agent's last word, with the losses of this writer added to those of the agent.
    pub fn finish(&mut self, mut end: End) -> Result<(), WriteError> {
        self.flush()?;
        end.losses.extend(self.losses());
        let mut content = Vec::new();
        push_record(&Record::End(end), &mut content)?;
        self.file.append(BlockKind::END, &content)?;
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
