//! A running program. At each look its counters are read, and the new part of its trace: the meaning of counters, and
//! where they are not mapped (`mode=trace`, whose threads write events), the values that the agent was asked for.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use ducktrack_count_model::{CountModel, LiveCounts, LiveRow, RunState};
use ducktrack_reports::LiveHeapDoc;
use ducktrack_trace_reader::{
    CounterContext, CounterFile, MappedCounters, ReadError, Record, TraceTail,
};

use super::grouping::By;
use super::heap_watch::{HeapWatch, Seen};
use super::live_heap::LiveHeap;
use crate::control::ask_for_values;
use crate::loading::load_windows;
use crate::window_args::WindowArgs;

/// Words of a block's header, which are no counters.
const HEADER_WORDS: usize = 64;

/// See the module.
pub(crate) struct LiveRun {
    directory: PathBuf,
    file: CounterFile,
    trace: TraceTail,
    counts: LiveCounts,
    context: CounterContext,
    /// Of a run that was killed before it wrote any values: those of its events.
    from_events: Option<CountModel>,
    /// Only of a run that has a trace of events.
    heap: Option<LiveHeap>,
    /// Where somebody has asked what lives.
    watch: Option<HeapWatch>,
    seen: Seen,
    pub(crate) pid: u32,
    pub(crate) state: RunState,
    pub(crate) private_threads: usize,
}

impl LiveRun {
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let name = directory.display();
        let opened = CounterFile::open(directory).with_context(|| format!("{name}"))?;
        let trace = match TraceTail::open(directory) {
            Ok(trace) => trace,
            Err(ReadError::NoTrace { .. }) => bail!(
                "{name} holds no trace; give a process id or the directory that the agent writes"
            ),
            Err(error) => return Err(error.into()),
        };
        let Some(file) = opened else {
            bail!("{name}: the run has ended, or has no mapped counters; ducktrack report {name}");
        };
        Ok(Self {
            directory: directory.to_owned(),
            file,
            trace,
            counts: LiveCounts::default(),
            context: CounterContext::default(),
            from_events: None,
            heap: None,
            watch: None,
            seen: Seen::default(),
            pid: 0,
            state: RunState::Unknown,
            private_threads: 0,
        })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The heap of a traced run, after its first collection.
    pub(crate) fn heap(&self) -> Option<LiveHeapDoc> {
        let by_site = self.watch.as_ref().and(self.seen.collection);
        let heap = self.heap.as_ref()?.document(&self.seen.live)?;
        Some(LiveHeapDoc {
            rows_of_collection: by_site,
            ..heap
        })
    }

    /// Begins to follow what lives, where there is a trace of events.
    pub(crate) fn follow_heap(&mut self) -> Result<()> {
        if self.heap.is_some() && self.watch.is_none() {
            self.watch = Some(HeapWatch::start(&self.directory)?);
        }
        Ok(())
    }

    /// Lets what lives be as new as the counters.
    pub(crate) fn wait_for_heap(&mut self) {
        if let Some(watch) = &self.watch {
            self.seen = watch.wait();
        }
    }

    /// The figures of the last look.
    pub(crate) fn rows(&self, by: By) -> &[LiveRow] {
        match by.kind() {
            Some(kind) => self.counts.rows(kind),
            None => &self.seen.rows,
        }
    }

    /// Reads the counters as they are now, and adds them up.
    pub(crate) fn look(&mut self) -> Result<()> {
        let name = || self.file.path().display().to_string();
        let counters = self.file.read().with_context(name)?;
        // After the counters: their definitions are written by then.
        self.read_trace()?;
        self.counts.begin();
        self.note_state(&counters);
        match counters.blocks.is_empty() {
            true => self.take_said_values()?,
            false => self.add_up(&counters),
        }
        if let Some(heap) = &mut self.heap {
            heap.look(Instant::now())?;
        }
        if let Some(watch) = &self.watch {
            self.seen = watch.seen();
        }
        match &self.seen.error {
            Some(error) => bail!("the live heap: {error}"),
            None => Ok(()),
        }
    }

    /// The values that the agent writes when it is asked; of a run that is over its last, or those of its events.
    fn take_said_values(&mut self) -> Result<()> {
        let is_over = self.state.is_over();
        let asked = match is_over {
            true => Ok(()),
            false => ask_for_values(&self.directory),
        };
        self.read_trace()?;
        let has_values = self.counts.said();
        if is_over && !has_values {
            return self.count_events();
        }
        match asked {
            Err(error) if !has_values => Err(error.context(format!(
                "{}: no thread counts in mapped memory, and the agent cannot be asked for what it has counted",
                self.directory.display()
            ))),
            _ => Ok(()),
        }
    }

    fn count_events(&mut self) -> Result<()> {
        let model = match self.from_events.take() {
            Some(model) => model,
            None => load_windows(&self.directory, &WindowArgs::default())?,
        };
        self.counts.count(&model);
        self.from_events = Some(model);
        Ok(())
    }

    fn note_state(&mut self, counters: &MappedCounters) {
        let unended = self.context.unended(counters);
        self.pid = counters.pid;
        self.private_threads = unended.private_threads.len();
        self.state = match (self.context.has_ended(), unended.process) {
            (true, _) => RunState::Ended,
            (false, process) => process.into(),
        };
    }

    fn read_trace(&mut self) -> Result<()> {
        for record in self.trace.look()? {
            if let Record::Run(run) = &record
                && run.mode.has_events()
                && self.heap.is_none()
            {
                self.heap = Some(LiveHeap::new(&self.directory));
            }
            self.context.note(&record);
            self.counts.define(&record);
        }
        Ok(())
    }

    fn add_up(&mut self, counters: &MappedCounters) {
        let (counts, context) = (&mut self.counts, &self.context);
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
