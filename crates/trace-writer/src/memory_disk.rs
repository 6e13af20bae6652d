//! A disk in memory that can be full, lose a file, and refuse to truncate. For tests.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::WriteError;
use crate::storage::Storage;

/// State that the test sees and sets.
#[derive(Debug, Default)]
pub(crate) struct DiskState {
    pub(crate) bytes: Vec<u8>,
    /// Appends beyond this length fail.
    pub(crate) capacity: Option<usize>,
    pub(crate) truncate_fails: bool,
    pub(crate) restore_fails: bool,
    /// The successor cannot be created.
    pub(crate) successor_fails: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDisk {
    pub(crate) state: Arc<Mutex<DiskState>>,
    /// State of the disk that this one replaces.
    place: Option<Arc<Mutex<DiskState>>>,
}

impl MemoryDisk {
    pub(crate) fn set(&self, change: impl FnOnce(&mut DiskState)) {
        change(&mut self.state.lock().unwrap());
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state.lock().unwrap().bytes.clone()
    }
}

impl Storage for MemoryDisk {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        let room = state
            .capacity
            .map_or(usize::MAX, |most| most.saturating_sub(state.bytes.len()));
        let taken = bytes.len().min(room);
        state.bytes.extend_from_slice(&bytes[..taken]);
        if taken < bytes.len() {
            return Err(ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        if state.truncate_fails {
            return Err(io::Error::other("no"));
        }
        state.bytes.truncate(usize::try_from(length).unwrap());
        Ok(())
    }

    fn keep_name(&mut self, _length: u64) -> Result<bool, WriteError> {
        if self.state.lock().unwrap().restore_fails {
            let source = io::Error::other("deleted");
            return Err(WriteError::Restore {
                path: "memory".into(),
                source,
            });
        }
        Ok(false)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.state.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        let source = state.bytes.get(from..from + bytes.len());
        bytes.copy_from_slice(source.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn successor(&self) -> Result<Box<dyn Storage>, WriteError> {
        let fails = self.state.lock().unwrap().successor_fails;
        let successor = MemoryDisk {
            place: Some(Arc::clone(&self.state)),
            ..Self::default()
        };
        successor.set(|state| state.capacity = fails.then_some(40));
        Ok(Box::new(successor))
    }

    fn take_place_of(&mut self, _path: &Path) -> io::Result<()> {
        let place = self.place.take().ok_or(ErrorKind::NotFound)?;
        place.lock().unwrap().bytes = self.bytes();
        self.state = place;
        Ok(())
    }

    fn discard(&mut self) {}
}
