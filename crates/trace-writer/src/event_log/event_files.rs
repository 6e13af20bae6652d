//! The event files of a run: one that grows, and older ones that are deleted to keep the size limit.
//!
//! After a block that could not be written, nothing more goes to its file: later blocks would be read as if nothing were missing. The next
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

/// The path of the current file is checked after this many blocks.
const LOOK_EVERY: u32 = 32;

/// Creates the file with the given path. Tests create files in memory.
pub(crate) type MakeFile = Box<dyn Fn(&Path) -> Result<Box<dyn Storage>, WriteError> + Send>;

/// All event files that exist, and the counts of what was lost.
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
    /// Blocks and bytes of these losses that files report.
    reported: (u64, u64),
    pub(crate) removed: u64,
    /// Bytes of the files that were removed.
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
            reported: (0, 0),
            removed: 0,
            gone_bytes: 0,
        }
    }

    /// Files on disk.
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

    /// Files begun so far, removed ones included.
    pub(crate) fn begun(&self) -> u32 {
        self.next_index
    }

    /// Bytes of the current file.
    pub(crate) fn current_bytes(&self) -> u64 {
        self.files.back().map_or(0, TraceFile::length)
    }

    /// Bytes of the current file that survive the process.
    pub(crate) fn settled_bytes(&self) -> u64 {
        let unwritten = self.unwritten().map_or(0, |unwritten| unwritten.bytes);
        self.current_bytes().saturating_sub(unwritten)
    }

    /// Index of the current file and number of its next block; `None` while no block can be written.
    pub(crate) fn next_block(&self) -> Option<(u32, u32)> {
        let file = self.files.back().filter(|_| !self.torn)?;
        Some((self.next_index.checked_sub(1)?, file.next_sequence()))
    }

    /// Bytes of all existing files.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.files.iter().map(TraceFile::length).sum()
    }

    /// Bytes of all files, removed ones included.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.gone_bytes + self.total_bytes()
    }

    /// True when no block can be written until the next file begins.
    pub(crate) fn is_torn(&self) -> bool {
        self.torn || self.files.is_empty()
    }

    /// Begins a file. The previous one gets its end record; `start` gets its index and the losses since the file before it.
    pub(crate) fn begin(&mut self, mut start: EventFile) -> Result<(), WriteError> {
        self.close(End::ROTATED);
        // A failure is counted, and the new file reports it.
        let _ = self.finish();
        start.index = self.next_index;
        let lost = (self.lost_blocks, self.lost_bytes);
        start.lost_blocks = lost.0 - self.reported.0;
        start.lost_bytes = lost.1 - self.reported.1;
        let path = self.directory.join(EventFile::name(start.index));
        let mut file = TraceFile::start((self.make)(&path)?, Compression::Off)?;
        if let Err(error) = write_start(&mut file, &start) {
            file.storage_mut().discard();
            return Err(error);
        }
        self.files.push_back(file);
        self.next_index += 1;
        self.reported = lost;
        self.torn = false;
        Ok(())
    }

    /// Writes the end of the current file, unless blocks are missing from it. After a failure the file has no end record, which shows
    /// that it is not whole.
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

    /// Appends the end block, the last of this file.
    pub(crate) fn end(&mut self, end: End) -> Result<(), WriteError> {
        let mut content = Vec::new();
        push_record(&Record::End(end), &mut content)?;
        let packed = PackedContent::pack(&content, Compression::Off)?;
        self.append(BlockKind::END, &packed)?;
        self.finish()
    }

    /// Appended bytes that would be lost with the process.
    pub(crate) fn unwritten(&self) -> Option<Unwritten> {
        self.files.back()?.storage().unwritten()
    }

    /// Writes the [unwritten](Self::unwritten) bytes.
    pub(crate) fn settle(&mut self) -> Result<(), WriteError> {
        self.in_current(|storage| storage.settle())
    }

    /// Finishes the current file: nothing more will be appended.
    fn finish(&mut self) -> Result<(), WriteError> {
        self.in_current(|storage| storage.finish())
    }

    /// Runs a step on the current file. If it fails, the unwritten bytes are lost.
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
        let look = !kind.holds_events() || self.blocks_since_look >= LOOK_EVERY;
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

    /// Restores files whose paths are gone. Checking the current one is enough to notice.
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

    /// Removes the oldest files until the rest, with `room` bytes more, fit into `max`; the current one stays.
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

/// Writes the block that every event file begins with, and settles it so that a reader of the directory finds it.
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
