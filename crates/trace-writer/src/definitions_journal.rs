//! Puts definitions on disk at once, before there are enough of them for a block of the trace file.
//!
//! ```text
//! define ──> waiting room ──enough──> trace file: large blocks, compressed; the journal is emptied
//!        \── journal ──secure──> definitions.journal: a small block for each call
//! ```
//!
//! Definitions in the journal survive the process. Its records are numbered, so that a reader takes each definition once, no matter when
//! the process ended (see [`JournalBlock`]). The file is created at the first need and deleted at the end of the trace.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ducktrack_trace_format::{
    BlockKind, Compression, FileHeader, JOURNAL_FILE_NAME, JournalBlock, MAX_CONTENT,
};

use crate::WriteError;
use crate::storage::{DiskFile, Storage};
use crate::trace_file::{Checkpoint, TraceFile};

/// Creates the journal's file.
pub(crate) type MakeJournal = Box<dyn Fn() -> Result<Box<dyn Storage>, WriteError> + Send>;

/// Bytes that a block needs in addition to its records.
const FIRST_BYTES: usize = 10;

/// After a failed write nothing is written again during this time, unless the records
/// that wait have doubled: on a full disk, each attempt would copy all of them.
const PAUSE: Duration = Duration::from_secs(1);

/// A write that has failed.
struct Failed {
    when: Instant,
    /// Bytes that it should have written.
    bytes: usize,
}

/// The journal: records that wait for [`secure`](Self::secure), and their file.
pub(crate) struct DefinitionsJournal {
    make: MakeJournal,
    file: Option<Begun>,
    /// Encoded records that are not in the file yet.
    open: Vec<u8>,
    /// Number of the first record in `open`, and of the next record.
    first: u64,
    next: u64,
    content: Vec<u8>,
    failed: Option<Failed>,
}

struct Begun {
    file: TraceFile,
    /// The end of the header.
    start: Checkpoint,
}

impl DefinitionsJournal {
    /// For the trace in a directory.
    pub(crate) fn in_directory(directory: PathBuf) -> Self {
        let path = directory.join(JOURNAL_FILE_NAME);
        Self::new(Box::new(move || match DiskFile::create(path.clone()) {
            Ok(file) => Ok(Box::new(file)),
            Err(source) => Err(WriteError::CreateFile {
                path: path.clone(),
                source,
            }),
        }))
    }

    pub(crate) fn new(make: MakeJournal) -> Self {
        Self {
            make,
            file: None,
            open: Vec::new(),
            first: 0,
            next: 0,
            content: Vec::new(),
            failed: None,
        }
    }

    /// Adds the next record, encoded with its length.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.open.extend_from_slice(record);
        self.next += 1;
    }

    /// Writes all records to the file.
    pub(crate) fn secure(&mut self) -> Result<(), WriteError> {
        if self.open.is_empty() {
            return Ok(());
        }
        let is_early = |failed: &Failed| {
            failed.when.elapsed() < PAUSE && self.open.len() < failed.bytes.saturating_mul(2)
        };
        if self.failed.as_ref().is_some_and(is_early) {
            return Err(WriteError::Waiting);
        }
        let written = self.write();
        self.failed = written.is_err().then(|| Failed {
            when: Instant::now(),
            bytes: self.open.len(),
        });
        written
    }

    fn write(&mut self) -> Result<(), WriteError> {
        if self.open.len() > MAX_CONTENT - FIRST_BYTES {
            // The trace file usually takes definitions long before this limit. If it cannot, they wait in memory, and
            // the end record reports it.
            return Err(WriteError::WaitingRoomFull {
                waiting: self.open.len(),
            });
        }
        self.content.clear();
        JournalBlock {
            first: self.first,
            records: &self.open,
        }
        .encode(&mut self.content);
        let begun = match self.file.take() {
            Some(begun) => begun,
            None => Begun::new((self.make)()?)?,
        };
        let begun = self.file.insert(begun);
        begun.file.append(BlockKind::JOURNAL, &self.content)?;
        self.open.clear();
        self.first = self.next;
        Ok(())
    }

    /// Empties the journal: the trace file has all records.
    pub(crate) fn begin_anew(&mut self) {
        self.open.clear();
        self.first = self.next;
        if let Some(begun) = &mut self.file
            && begun.file.length() > FileHeader::LENGTH as u64
        {
            begun.file.take_back(begun.start);
        }
    }

    /// Deletes the journal: the trace has ended.
    pub(crate) fn discard(&mut self) {
        if let Some(mut begun) = self.file.take() {
            begun.file.storage_mut().discard();
        }
    }
}

impl Begun {
    fn new(storage: Box<dyn Storage>) -> Result<Self, WriteError> {
        let file = TraceFile::start(storage, Compression::Off)?;
        let start = file.checkpoint();
        Ok(Self { file, start })
    }
}
