//! A trace file under construction: a header and whole blocks, nothing else.
//!
//! A block that could not be appended whole is cut off, so that the file always ends with a whole block. If even that
//! fails, the rest is marked as torn and cut off before the next block.

use std::io;
use std::path::Path;

use ducktrack_trace_format::{BlockKind, Compression, FileHeader, PackedContent};

use crate::WriteError;
use crate::storage::Storage;

/// A position to which the file can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    length: u64,
    sequence: u32,
}

/// Appends blocks to a [`Storage`].
pub(crate) struct TraceFile {
    storage: Box<dyn Storage>,
    compression: Compression,
    /// The end of the last whole block; everything after it is torn.
    committed: Checkpoint,
    torn: bool,
}

impl TraceFile {
    /// Starts an empty file: writes the header.
    pub(crate) fn start(
        storage: Box<dyn Storage>,
        compression: Compression,
    ) -> Result<Self, WriteError> {
        let mut file = Self {
            storage,
            compression,
            committed: Checkpoint {
                length: 0,
                sequence: 0,
            },
            torn: false,
        };
        match file.append_bytes(&FileHeader::current().encode(), &[]) {
            Ok(()) => Ok(file),
            Err(error) => {
                // A file without a header would only occupy the name.
                file.storage.discard();
                Err(error)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.storage.path()
    }

    pub(crate) fn set_compression(&mut self, compression: Compression) {
        self.compression = compression;
    }

    /// Bytes of header and whole blocks.
    pub(crate) fn length(&self) -> u64 {
        self.committed.length
    }

    /// Number of the next block.
    pub(crate) fn next_sequence(&self) -> u32 {
        self.committed.sequence
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        self.storage.as_ref()
    }

    pub(crate) fn storage_mut(&mut self) -> &mut dyn Storage {
        self.storage.as_mut()
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        self.committed
    }

    /// Drops the blocks after the checkpoint.
    pub(crate) fn take_back(&mut self, to: Checkpoint) {
        self.committed = to;
        self.torn = self.storage.truncate(to.length).is_err();
    }

    /// Makes sure that the path still leads to the file; true if the file had to be restored.
    pub(crate) fn keep_name(&mut self) -> Result<bool, WriteError> {
        self.storage.keep_name(self.committed.length)
    }

    /// Appends one block, whole or not at all.
    pub(crate) fn append(&mut self, kind: BlockKind, content: &[u8]) -> Result<(), WriteError> {
        self.append_packed(kind, &PackedContent::pack(content, self.compression)?)
    }

    /// Appends one block whose content is compressed already, whole or not at all.
    pub(crate) fn append_packed(
        &mut self,
        kind: BlockKind,
        content: &PackedContent,
    ) -> Result<(), WriteError> {
        let (header, stored) = content.block(kind, self.committed.sequence);
        self.append_bytes(&header, stored)?;
        self.committed.sequence = self.committed.sequence.wrapping_add(1);
        Ok(())
    }

    fn append_bytes(&mut self, first: &[u8], second: &[u8]) -> Result<(), WriteError> {
        match self.try_append(first, second) {
            Ok(()) => {
                self.committed.length += (first.len() + second.len()) as u64;
                Ok(())
            }
            Err(source) => {
                self.take_back(self.committed);
                let path = self.path().to_owned();
                Err(WriteError::Append { path, source })
            }
        }
    }

    fn try_append(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        if self.torn {
            self.storage.truncate(self.committed.length)?;
            self.torn = false;
        }
        self.storage.append_both(first, second)
    }
}
