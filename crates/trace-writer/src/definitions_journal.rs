//! Definitions on disk at once, before there are enough of them for a block of the trace file.
//!
//! ```text
//! define ──> waiting room ──enough──> trace file: large blocks, compressed; the journal begins anew
//!        \── journal ──secure──> definitions.journal: a small block for each call
//! ```
//!
//! What the journal has survives the process. Its records are numbered, so that a reader takes each definition once, whatever moment the process ended at
//! (see [`JournalBlock`]). The file is made when it is needed first, and goes with the end of the trace.

use std::path::PathBuf;

use ducktrack_trace_format::{
    BlockKind, Compression, FileHeader, JOURNAL_FILE_NAME, JournalBlock, MAX_CONTENT,
};

use crate::WriteError;
use crate::storage::{DiskFile, Storage};
use crate::trace_file::{Checkpoint, TraceFile};

/// Makes the file.
pub(crate) type MakeJournal = Box<dyn Fn() -> Result<Box<dyn Storage>, WriteError> + Send>;

/// Room that a block needs beside its records.
const FIRST_BYTES: usize = 10;

/// See the module.
pub(crate) struct DefinitionsJournal {
    make: MakeJournal,
    file: Option<Begun>,
    /// Records that the file does not have.
    open: Vec<u8>,
    /// Number of the first of them, and of the next record.
    first: u64,
    next: u64,
    content: Vec<u8>,
}

struct Begun {
    file: TraceFile,
    /// After the header.
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
        }
    }

    /// Takes the next record, encoded with its length.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.open.extend_from_slice(record);
        self.next += 1;
    }

    /// Brings all records to the file.
    pub(crate) fn secure(&mut self) -> Result<(), WriteError> {
        if self.open.is_empty() {
            return Ok(());
        }
        if self.open.len() > MAX_CONTENT - FIRST_BYTES {
            // The trace file takes this many at once; where it cannot, they wait in memory, and that is said at the end.
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

    /// The trace file has all records.
    pub(crate) fn begin_anew(&mut self) {
        self.open.clear();
        self.first = self.next;
        if let Some(begun) = &mut self.file
            && begun.file.length() > FileHeader::LENGTH as u64
        {
            begun.file.take_back(begun.start);
        }
    }

    /// The trace has ended.
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
