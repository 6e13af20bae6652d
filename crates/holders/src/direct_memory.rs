//! Memory outside of the heap, by what holds the buffers that own it.

use std::collections::BTreeMap;

use ducktrack_heap_dump::DumpError;

use crate::field_paths::PathNumber;
use crate::holder_path::HolderPath;
use crate::holdings::{Holding, Holdings};

/// Direct buffers that are held by the same path of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectMemory {
    /// The buffers and what holds them.
    pub path: HolderPath,
    /// Their bytes outside of the heap.
    pub capacity: u64,
}

impl Holdings {
    /// Groups of buffers, most bytes outside of the heap first; at most `most`.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn direct_memory(&self, most: usize) -> Result<Vec<DirectMemory>, DumpError> {
        let mut groups: BTreeMap<PathNumber, (u64, Vec<u32>)> = BTreeMap::new();
        for buffer in self.direct_buffers() {
            let path = self.paths.of(buffer.object);
            let path = path.filter(|_| !self.dump.is_dead(self.tier(buffer.object)));
            if let Some(path) = path {
                let (capacity, buffers) = groups.entry(path).or_default();
                *capacity = capacity.saturating_add(buffer.bytes);
                buffers.push(buffer.object);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(path, (capacity, _))| (core::cmp::Reverse(*capacity), *path));
        groups.truncate(most);
        let read = |(path, (capacity, mut buffers)): (PathNumber, (u64, Vec<u32>))| {
            buffers.sort_unstable();
            let held = self.by_group(1, |object| {
                buffers.binary_search(&object).is_ok().then_some(0)
            });
            let held: Holding = held.first().copied().unwrap_or_default();
            let path = self.path_of_members(path, held, &buffers)?;
            Ok(DirectMemory { path, capacity })
        };
        groups.into_iter().map(read).collect()
    }
}
