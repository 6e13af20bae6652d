//! How many collections the VM has counted.

use crate::error::Error;
use crate::heap::heap_spaces::HeapSpaces;

/// The VM's own counts of collections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) all: u32,
    pub(super) full: u32,
}

impl Counts {
    pub(super) fn read(spaces: &HeapSpaces) -> Result<Self, Error> {
        Ok(Self {
            all: spaces.total_collections()?,
            full: spaces.full_collections()?,
        })
    }
}
