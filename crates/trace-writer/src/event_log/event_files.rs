//! The event files of a run: one that grows, and older ones that go when the limit asks for it.
//!
//! After a block could not be written, nothing more goes to its file: what followed would be read as if nothing were missing. The next
//! file begins with what was lost, and with a synchronization point where moves are known, so that the trace is right again from there on.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ducktrack_trace_format::{
    BlockKind, Compression, End, EventFile, PackedContent, Record, push_record,
};

use crate::WriteError;
use crate::storage::{DirectFile, Storage, Unwritten};
use crate::trace_file::TraceFile;

/// The name of the current file is looked at after this many blocks.
const LOOK_EVERY: u32 = 32;

/// Makes the file of an index. Tests make files in memory.
pub(crate) type MakeFile = Box<dyn Fn(&Path) -> Result<Box<dyn Storage>, WriteError> + Send>;

/// The files.
pub(crate) struct EventFiles {
    directory: PathBuf,
    make: MakeFile,
    /// Oldest first; the last one is current.
    files: VecDeque<TraceFile>,
    next_index: u32,
    /// A block was lost since the current file began.
    torn: bool,
    blocks_since_look: u32,
    pub(crate) lost_blocks: u64,
    pub(crate) lost_bytes: u64,
    pub(crate) removed: u64,
    /// Bytes of all files ever, without those that are there.
    gone_bytes: u64,
}

impl EventFiles {
    pub(crate) fn new(directory: PathBuf, make: MakeFile) -> Self {
        Self {
            directory,
            make,
            files: VecDeque::new(),
            next_index: 0,
            torn: false,
            blocks_since_look: 0,
            lost_blocks: 0,
            lost_bytes: 0,
            removed: 0,
            gone_bytes: 0,
        }
    }

    /// Files on a real disk.
    pub(crate) fn on_disk(directory: &Path) -> Self {
        let make: MakeFile = Box::new(|path| match DirectFile::create(path.to_owned()) {
            Ok(file) => Ok(Box::new(file)),
            Err(source) => Err(WriteError::CreateFile {
                path: path.to_owned(),
                source,
            }),
        });
        Self::new(directory.to_owned(), make)
    }

    /// Files begun so far.
    pub(crate) fn begun(&self) -> u32 {
        self.next_index
    }

    /// Bytes of the current file.
    pub(crate) fn current_bytes(&self) -> u64 {
        self.files.back().map_or(0, TraceFile::length)
    }

    /// Bytes of the current file that would not be lost with the process.
    pub(crate) fn settled_bytes(&self) -> u64 {
        let unwritten = self.unwritten().map_or(0, |unwritten| unwritten.bytes);
        self.current_bytes().saturating_sub(unwritten)
    }

    /// Index of the current file, and number of its next block; `None` while none can be written.
    pub(crate) fn next_block(&self) -> Option<(u32, u32)> {
        let file = self.files.back().filter(|_| !self.torn)?;
        Some((self.next_index.checked_sub(1)?, file.next_sequence()))
    }

    /// Bytes of all files that are there.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.files.iter().map(TraceFile::length).sum()
    }

    /// Bytes written in all.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.gone_bytes + self.total_bytes()
    }

    /// True when blocks cannot be written until the next file is begun.
    pub(crate) fn is_torn(&self) -> bool {
        self.torn || self.files.is_empty()
    }

    /// Begins a file: the one before gets its end, `start` gets its index and the losses since.
    pub(crate) fn begin(&mut self, mut start: EventFile) -> Result<(), WriteError> {
        self.close("rotated");
        // A failure is counted, and the new file says so.
        let _ = self.finish();
        start.index = self.next_index;
        start.lost_blocks = self.lost_blocks;
        start.lost_bytes = self.lost_bytes;
        let path = self.directory.join(EventFile::name(start.index));
        let mut file = TraceFile::start((self.make)(&path)?, Compression::Off)?;
        if let Err(error) = write_start(&mut file, &start) {
            file.storage_mut().discard();
            return Err(error);
        }
        self.files.push_back(file);
        self.next_index += 1;
        self.torn = false;
        Ok(())
    }

    /// Writes the end of the current file, unless blocks are missing from it. A failure leaves a file without end, which says enough.
    fn close(&mut self, cause: &str) {
        if !self.is_torn() {
            let end = End {
                unix_millis: now_unix_millis(),
                cause: cause.to_owned(),
                losses: Vec::new(),
            };
            let _ = self.end(end);
        }
    }

    /// Appends the end block; nothing more is to come.
    pub(crate) fn end(&mut self, end: End) -> Result<(), WriteError> {
        let mut content = Vec::new();
        push_record(&Record::End(end), &mut content)?;
        let packed = PackedContent::pack(&content, Compression::Off)?;
        self.append(BlockKind::END, &packed)?;
        self.finish()
    }

    /// What was appended and would be lost with the process.
    pub(crate) fn unwritten(&self) -> Option<Unwritten> {
        self.files.back()?.storage().unwritten()
    }

    /// Writes that, too.
    pub(crate) fn settle(&mut self) -> Result<(), WriteError> {
        self.in_current(|storage| storage.settle())
    }

    /// Nothing more comes to the current file.
    fn finish(&mut self) -> Result<(), WriteError> {
        self.in_current(|storage| storage.finish())
    }

    /// What cannot be written of what was accepted is lost.
    fn in_current(
        &mut self,
        step: impl FnOnce(&mut dyn Storage) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let Some(file) = self.files.back_mut() else {
            return Ok(());
        };
        let unwritten = file.storage().unwritten();
        let Err(source) = step(file.storage_mut()) else {
            return Ok(());
        };
        let path = file.path().to_owned();
        if let Some(unwritten) = unwritten {
            self.note_lost(unwritten.bytes);
        }
        Err(WriteError::Append { path, source })
    }

    /// Appends a block to the current file.
    pub(crate) fn append(
        &mut self,
        kind: BlockKind,
        content: &PackedContent,
    ) -> Result<(), WriteError> {
        let result = self.try_append(kind, content);
        if result.is_err() {
            self.torn = true;
        }
        result
    }

    fn try_append(&mut self, kind: BlockKind, content: &PackedContent) -> Result<(), WriteError> {
        let look = kind != BlockKind::EVENTS || self.blocks_since_look >= LOOK_EVERY;
        if look {
            self.keep_names()?;
            self.blocks_since_look = 0;
        }
        self.blocks_since_look += 1;
        match self.files.back_mut() {
            Some(file) => file.append_packed(kind, content),
            None => Err(WriteError::Ended),
        }
    }

    /// Makes files anew whose names are gone. The current one tells whether anything is amiss.
    fn keep_names(&mut self) -> Result<(), WriteError> {
        let Some(current) = self.files.back_mut() else {
            return Ok(());
        };
        if current.keep_name()? {
            for file in &mut self.files {
                file.keep_name()?;
            }
        }
        Ok(())
    }

    /// Counts a block that was not written.
    pub(crate) fn note_lost(&mut self, bytes: u64) {
        self.lost_blocks += 1;
        self.lost_bytes += bytes;
        self.torn = true;
    }

    /// Removes the oldest files until all together and `room` fit into `max`; the current one stays.
    pub(crate) fn make_room(&mut self, room: u64, max: u64) {
        while self.files.len() > 1 && self.total_bytes().saturating_add(room) > max {
            if let Some(mut oldest) = self.files.pop_front() {
                self.gone_bytes += oldest.length();
                oldest.storage_mut().discard();
                self.removed += 1;
            }
        }
    }
}

/// Writes what every event file begins with. A reader of the directory finds it there.
fn write_start(file: &mut TraceFile, start: &EventFile) -> Result<(), WriteError> {
    let mut content = Vec::new();
    start.encode(&mut content);
    file.append(BlockKind::EVENT_FILE, &content)?;
    let settled = file.storage_mut().settle();
    settled.map_err(|source| WriteError::Append {
        path: file.path().to_owned(),
        source,
    })
}

fn now_unix_millis() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
