//! The live heap of a traced program by site while it runs: its event files are replayed as they grow. The program does nothing for it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ducktrack_analyses::FollowedSites;
use ducktrack_count_model::{CountModelBuilder, TraceNames};
use ducktrack_heap_replay::HeapReplay;
use ducktrack_trace_reader::{EventFiles, Record, TraceTail};

use crate::trace_loading::take_step;

/// See the module.
pub(crate) struct HeapFollower {
    directory: PathBuf,
    sites: FollowedSites,
    reading: Reading,
}

/// As far as the files were read.
struct Reading {
    files: EventFiles,
    trace: TraceTail,
    definitions: CountModelBuilder,
    names: TraceNames,
    replay: HeapReplay<'static>,
}

impl HeapFollower {
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        Ok(Self {
            directory: directory.to_owned(),
            sites: FollowedSites::default(),
            reading: Reading::new(directory)?,
        })
    }

    /// Reads what was written since the look before.
    pub(crate) fn look(&mut self) -> Result<()> {
        if !self.reading.look(&mut self.sites)? {
            self.reading = Reading::new(&self.directory)?;
            self.reading.look(&mut self.sites)?;
        }
        self.sites.fill(self.reading.replay.heap());
        Ok(())
    }

    pub(crate) fn sites(&self) -> &FollowedSites {
        &self.sites
    }

    /// The last collection that was read; `None`: the heap is not known after it.
    pub(crate) fn collection(&self) -> Option<u32> {
        let heap = self.reading.replay.heap();
        heap.is_known().then_some(heap.epoch)
    }
}

impl Reading {
    fn new(directory: &Path) -> Result<Self> {
        let names = TraceNames::default();
        Ok(Self {
            files: EventFiles::follow(directory)?,
            trace: TraceTail::open(directory)?,
            definitions: CountModelBuilder::new(),
            // One part: the other cores are the program's.
            replay: HeapReplay::new(names.clone(), Vec::new(), 1),
            names,
        })
    }

    /// False: known objects have other positions now.
    fn look(&mut self, sites: &mut FollowedSites) -> Result<bool> {
        // In this order: all that is in the files by now has its definitions on disk.
        self.files.extend().context("the event files")?;
        if self.define()? {
            let definitions = self.definitions.clone();
            let (model, names) = definitions.finish_trace_after(&self.names);
            self.names.clone_from(&names);
            self.replay.set_names(names);
            if !sites.define(&model) {
                return Ok(false);
            }
        }
        while let Some(step) = self.files.next_step() {
            take_step(&mut self.replay, &mut self.files, step);
        }
        Ok(true)
    }

    /// Takes new definitions; counts are of no use here.
    fn define(&mut self) -> Result<bool> {
        let records = self.trace.look()?;
        let is_definition = |record: &Record| {
            !matches!(
                record,
                Record::Snapshot(_)
                    | Record::StackSamples(_)
                    | Record::StackDefinitions(_)
                    | Record::Counter(_)
                    | Record::Cause(_)
            )
        };
        let mut records = records.into_iter().filter(is_definition).peekable();
        let has_any = records.peek().is_some();
        records.for_each(|record| self.definitions.fold(record));
        Ok(has_any)
    }
}
