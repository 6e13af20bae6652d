//! Event files that a running process still writes: their steps come as far as whole blocks are there.
//!
//! ```text
//! let mut files = EventFiles::follow(dir)?;
//! loop {
//!     files.extend()?;                                // before the definitions are read
//!     while let Some(step) = files.next_step() { .. }
//! }
//! ```

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::block_reader::BlockReader;
use crate::damage_log::DamageLog;
use crate::event_file_list::{event_files, is_of_event_files};
use crate::{EventFiles, ReadError};

/// The state of files that grow.
#[derive(Debug)]
pub(crate) struct Following {
    directory: PathBuf,
    /// The index of the last file that is known.
    newest: Option<u32>,
}

impl EventFiles {
    /// Follows the event files of a run that goes on, from the newest file on: it begins with the state that the files before it end with.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn follow(directory: &Path) -> Result<Self, ReadError> {
        let mut files = Self::open(directory)?;
        files.live = None;
        files.paths = Arc::default();
        files.lengths.clear();
        files.logs.clear();
        files.blocks.clear();
        files.total_bytes = 0;
        files.following = Some(Following {
            directory: directory.to_owned(),
            newest: None,
        });
        Ok(files)
    }

    /// Takes note of what was written since. Events in the files by now may use definitions that are read after this.
    ///
    /// # Errors
    /// The directory or a file cannot be read.
    pub fn extend(&mut self) -> io::Result<()> {
        let Some(following) = &mut self.following else {
            return Ok(());
        };
        let mut listed = event_files(&following.directory)?;
        listed.sort();
        let newest = listed.last().map(|(index, _)| *index);
        match following.newest {
            Some(known) => listed.retain(|(index, _)| *index > known),
            None => listed
                .drain(..listed.len().saturating_sub(1))
                .for_each(drop),
        }
        following.newest = newest.max(following.newest);
        for (_, path) in listed {
            Arc::make_mut(&mut self.paths).push(path);
            self.lengths.push(0);
            self.logs.push(DamageLog::default());
            self.blocks.push(0);
        }
        // After the list: a file that has one after it is whole.
        if let Some((_, reader)) = &mut self.current {
            reader.reread()?;
        }
        let waiting = self.paths.iter().zip(&mut self.lengths);
        for (path, length) in waiting.skip(self.next_file) {
            *length = fs::metadata(path).map_or(0, |facts| facts.len());
        }
        Ok(())
    }

    /// Is there nothing whole to read by now, though there may be later?
    pub(crate) fn waits(&mut self) -> bool {
        if self.following.is_none() {
            return false;
        }
        let has_next = self.next_file < self.paths.len();
        match &mut self.current {
            Some((_, reader)) if reader.has_end => reader.goes_on && !has_next,
            Some((_, reader)) => !has_next && reader.peek_kind().is_none(),
            None if has_next => !self.next_has_head(),
            None => !self.has_end,
        }
    }

    /// True as well for a file that is not there any more, or that has another after it.
    fn next_has_head(&self) -> bool {
        let (path, length) = match (
            self.paths.get(self.next_file),
            self.lengths.get(self.next_file),
        ) {
            (Some(path), Some(length)) => (path, *length),
            _ => return false,
        };
        let Ok(file) = File::open(path) else {
            return true;
        };
        let has_head = || {
            let mut reader = BlockReader::start(file.take(length), is_of_event_files).ok()?;
            reader.peek_kind()
        };
        self.next_file + 1 < self.paths.len() || has_head().is_some()
    }
}
