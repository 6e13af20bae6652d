//! The collections of a trace that grows: each look gives those that are new. Their events and moves are stepped over.

use std::path::{Path, PathBuf};

use ducktrack_trace_format::{BlockKind, Collection};

use crate::block_tail::BlockTail;
use crate::event_file_list::event_files;

/// Of a long trace the last collections are enough.
const MOST_AT_FIRST: u64 = 32 << 20;

/// See the module.
#[derive(Debug)]
pub struct CollectionTail {
    directory: PathBuf,
    /// The newest event file, with its number.
    file: Option<(u32, BlockTail)>,
}

impl CollectionTail {
    /// Of the event files of a directory.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
        }
    }

    /// Collections that were written since the look before.
    ///
    /// # Errors
    /// The system refuses to read.
    pub fn look(&mut self) -> std::io::Result<Vec<Collection>> {
        let mut collections = self.rest()?;
        let newest = event_files(&self.directory)?.into_iter().max();
        let current = self.file.as_ref().map(|(number, _)| *number);
        if let Some((number, path)) = newest
            && current.is_none_or(|current| current < number)
        {
            let is_collection = |kind| kind == BlockKind::COLLECTION;
            self.file = Some((number, BlockTail::new(path, is_collection, MOST_AT_FIRST)));
            collections.extend(self.rest()?);
        }
        Ok(collections)
    }

    /// The new part of the file; empty if the file was rotated away.
    fn rest(&mut self) -> std::io::Result<Vec<Collection>> {
        let Some((_, tail)) = &mut self.file else {
            return Ok(Vec::new());
        };
        let new = match tail.look() {
            Ok(new) => new,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let blocks = new.blocks.iter();
        Ok(blocks
            .filter_map(|block| Collection::decode(&block.content).ok())
            .collect())
    }
}
