//! A run that goes on: its counters are read at each look, what they mean when the trace has become longer.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ducktrack_heap_model::LiveCounts;
use ducktrack_trace_reader::{
    CounterContext, CounterFile, MappedCounters, ProcessState, TraceReader,
};

/// Words of a block's header, which are no counters.
const HEADER_WORDS: usize = 64;
/// Files that definitions are in.
const DEFINITIONS: [&str; 2] = ["ducktrack.trace", "definitions.journal"];

/// See the module.
pub(crate) struct LiveRun {
    directory: PathBuf,
    file: CounterFile,
    counts: LiveCounts,
    context: CounterContext,
    /// Lengths of the files that definitions are in, when they were read.
    lengths: [u64; 2],
    pub(crate) pid: u32,
    pub(crate) state: &'static str,
    pub(crate) private_threads: usize,
}

impl LiveRun {
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let name = directory.display();
        let opened = CounterFile::open(directory).with_context(|| format!("{name}"))?;
        let Some(file) = opened else {
            if !directory.join(DEFINITIONS[0]).exists() {
                bail!(
                    "{name} holds no trace; give a process id or the directory that the agent writes"
                );
            }
            bail!("{name}: the run has ended, or has no mapped counters; ducktrack report {name}");
        };
        Ok(Self {
            directory: directory.to_owned(),
            file,
            counts: LiveCounts::default(),
            context: CounterContext::default(),
            lengths: [0; 2],
            pid: 0,
            state: ProcessState::Unknown.name(),
            private_threads: 0,
        })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads the counters as they are now, and adds them up.
    pub(crate) fn look(&mut self) -> Result<&LiveCounts> {
        let name = || self.file.path().display().to_string();
        let counters = self.file.read().with_context(name)?;
        // After the counters: what they count is defined by then.
        self.read_definitions()?;
        self.note_state(&counters);
        if counters.blocks.is_empty() {
            bail!(
                "{}: no thread counts in mapped memory; ducktrack report shows what snapshots have",
                self.directory.display()
            );
        }
        self.add_up(&counters);
        Ok(&self.counts)
    }

    fn note_state(&mut self, counters: &MappedCounters) {
        let unended = self.context.unended(counters);
        self.pid = counters.pid;
        self.private_threads = unended.private_threads.len();
        self.state = match (self.context.has_ended(), unended.process) {
            (true, _) => "ended",
            (false, process) => process.name(),
        };
    }

    fn read_definitions(&mut self) -> Result<()> {
        let length = |name| fs::metadata(self.directory.join(name)).map_or(0, |facts| facts.len());
        let lengths = DEFINITIONS.map(length);
        if lengths == self.lengths {
            return Ok(());
        }
        for record in TraceReader::open(&self.directory)? {
            self.context.note(&record);
            self.counts.define(&record);
        }
        self.lengths = lengths;
        Ok(())
    }

    fn add_up(&mut self, counters: &MappedCounters) {
        let (counts, context) = (&mut self.counts, &self.context);
        counts.begin();
        for block in context.blocks(counters) {
            let thread = block.owner.thread;
            let values = block.counters.iter().enumerate().skip(HEADER_WORDS);
            for (id, value) in values.filter(|(_, value)| **value != 0) {
                counts.counter(thread, id, *value);
            }
            for entry in &block.keyed {
                let ty = entry.klass.map(|klass| context.class_name(klass));
                counts.keyed(thread, entry.site, ty, (entry.count, entry.bytes));
            }
        }
        for folded in context.folded(counters) {
            for (id, value) in &folded.counters {
                counts.counter(folded.thread, id.0 as usize, *value);
            }
            for keyed in &folded.keyed {
                let ty = keyed.ty.as_deref();
                counts.keyed(folded.thread, keyed.site, ty, (keyed.count, keyed.bytes));
            }
        }
    }
}
