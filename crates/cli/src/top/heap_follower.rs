//! The live heap of a traced program by site while it runs: its event files are replayed as they grow. The program does nothing for it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ducktrack_analyses::FollowedSites;
use ducktrack_count_model::{CountModelBuilder, TraceNames};
use ducktrack_heap_replay::HeapReplay;
use ducktrack_trace_reader::{
    BufferDecoding, CollectionKind, EventFiles, EventStep, Record, TraceTail,
};

use crate::trace_loading::{know, take_step};

/// What lives after collections: their numbers, objects and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LiveAfter {
    last: Option<(u32, u64, u64)>,
    last_full: Option<(u32, u64, u64)>,
}

impl LiveAfter {
    /// Objects and bytes after a collection, if it is the last or the last full one that was read.
    pub(crate) fn collection(&self, number: u32) -> Option<(u64, u64)> {
        let read = self.last.into_iter().chain(self.last_full);
        let of_number = |(known, objects, bytes)| (known == number).then_some((objects, bytes));
        read.filter_map(of_number).next()
    }
}

/// See the module.
pub(crate) struct HeapFollower {
    directory: PathBuf,
    sites: FollowedSites,
    reading: Reading,
}

/// As far as the files were read.
struct Reading {
    files: EventFiles,
    decoding: BufferDecoding,
    trace: TraceTail,
    definitions: CountModelBuilder,
    names: TraceNames,
    replay: HeapReplay<'static>,
    live: LiveAfter,
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

    pub(crate) fn live(&self) -> LiveAfter {
        self.reading.live
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
            decoding: BufferDecoding::default(),
            trace: TraceTail::open(directory)?,
            definitions: CountModelBuilder::new(),
            // One part: the other cores are the program's.
            replay: HeapReplay::new(names.clone(), Vec::new(), 1),
            names,
            live: LiveAfter::default(),
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
            know(&mut self.files, &model, &names);
            self.replay.set_names(names);
            if !sites.define(&model) {
                return Ok(false);
            }
        }
        while let Some(step) = self.files.next_step() {
            let collection = match &step {
                EventStep::Epoch(epoch) => Some(epoch.collection.kind),
                _ => None,
            };
            take_step(&mut self.replay, &mut self.decoding, step);
            if let Some(kind) = collection {
                self.note_live(kind);
            }
        }
        Ok(true)
    }

    fn note_live(&mut self, kind: CollectionKind) {
        let heap = self.replay.heap();
        let total = heap.counts.total;
        let live = heap
            .is_known()
            .then_some((heap.epoch, total.count, total.bytes));
        self.live.last = live;
        if kind == CollectionKind::Full {
            self.live.last_full = live;
        }
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
