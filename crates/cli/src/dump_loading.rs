//! A heap dump and the trace of the same JVM, joined; or one line with the reason why they do not belong together.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Error, Result, anyhow, bail};
use clap::Args;
use ducktrack_analyses::{DumpedObjects, LiveObjects, Question, TraceModel};
use ducktrack_holders::{
    DumpError, DumpFile, Extent, HeapGraph, Holdings, JoinOutcome, JoinedDump,
};

use crate::trace_report::{load_events, unknown_heap};

/// Classes that a refusal names.
const CLASSES: usize = 3;

/// A dump's time is taken from another clock than the trace's, and after the pause has begun.
const CLOCK_MILLIS: u64 = 100;

/// Of a dump for which the JVM made no collection.
const WITHOUT_COLLECTION: &str = "the trace has no collection with which this dump can have begun (ducktrack snapshot PID --dump makes dumps that do)";

/// How much of a dump must be there.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct PartialDump {
    /// Read a heap dump that the JVM did not finish: every figure is then "at least"
    #[arg(long)]
    partial: bool,
}

impl PartialDump {
    pub(crate) fn extent(self) -> Extent {
        match self.partial {
            true => Extent::Partial,
            false => Extent::Whole,
        }
    }
}

/// A trace whose objects at the time of a dump are known.
pub(crate) struct DumpTrace<A> {
    pub(crate) model: TraceModel,
    /// To the question that was asked beside that for the dump's objects.
    pub(crate) answer: A,
    objects: Option<LiveObjects>,
    /// `None`: it was not asked for, or has been taken.
    graph: Option<Result<HeapGraph, DumpError>>,
    file: DumpFile,
    path: PathBuf,
    millis: u64,
}

impl<A> DumpTrace<A> {
    /// Reads the trace, and beside that the dump.
    pub(crate) fn load<Q: Question<Answer = A>>(
        trace: &Path,
        dump: &Path,
        partial: PartialDump,
        question: Q,
    ) -> Result<Self> {
        let opened = opened(dump)?;
        let file = opened.0.clone();
        thread::scope(|scope| {
            let graph = scope.spawn(|| HeapGraph::read(file, partial.extent()));
            let loaded = Self::of_trace(trace, dump, opened, question)?;
            let graph = graph.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok(Self {
                graph: Some(graph),
                ..loaded
            })
        })
    }

    /// Reads the trace; the dump's objects are asked for, and not what holds them.
    pub(crate) fn without_graph<Q: Question<Answer = A>>(
        trace: &Path,
        dump: &Path,
        question: Q,
    ) -> Result<Self> {
        Self::of_trace(trace, dump, opened(dump)?, question)
    }

    fn of_trace<Q: Question<Answer = A>>(
        trace: &Path,
        dump: &Path,
        (file, millis): (DumpFile, u64),
        question: Q,
    ) -> Result<Self> {
        let objects = DumpedObjects::new(millis);
        let (model, (objects, answer)) = load_events(trace, (objects, question))?;
        Ok(Self {
            model,
            answer,
            objects,
            graph: None,
            file,
            path: dump.to_owned(),
            millis,
        })
    }

    /// The objects after the collection with which the dump began; once.
    pub(crate) fn objects(&mut self) -> Result<LiveObjects> {
        self.objects
            .take()
            .ok_or_else(|| anyhow!("{}: {}", self.path.display(), without_objects(&self.model)))
    }

    /// Reads the dump, finds its objects in the trace, and works out what holds them.
    pub(crate) fn holdings(&mut self) -> Result<Holdings> {
        let joined = self.joined()?;
        Holdings::new(joined).map_err(|error| self.fault(error))
    }

    fn graph(&mut self) -> Result<HeapGraph> {
        let graph = self.graph.take();
        let graph = graph.ok_or_else(|| anyhow!("{}: not read", self.path.display()))?;
        graph.map_err(|error| match error {
            DumpError::Cut { .. } => {
                anyhow!("{} (--partial reads what is there)", self.fault(error))
            }
            error => self.fault(error),
        })
    }

    /// A dump of this run whose objects the trace does not know has paths and sizes, but no sites.
    pub(crate) fn joined(&mut self) -> Result<JoinedDump> {
        let (graph, why) = match self.objects.take() {
            None => (self.graph()?, without_objects(&self.model)),
            Some(objects) => {
                let is_before = objects.is_before_dump;
                let joined = JoinedDump::new(self.graph()?, objects);
                let why = match (joined.outcome.is_good(), is_before) {
                    (true, _) => return Ok(joined),
                    (false, false) => strangers(&joined.outcome),
                    (false, true) => format!(
                        "{WITHOUT_COLLECTION}; and it does not have the objects that the last collection before it left"
                    ),
                };
                (joined.graph, why)
            }
        };
        match self.is_of_run() {
            true => Ok(JoinedDump::without_sites(graph, why)),
            false => bail!(
                "{}: {why}: it is a dump of another JVM or moment",
                self.path.display()
            ),
        }
    }

    /// The dump was written while the traced JVM ran.
    fn is_of_run(&self) -> bool {
        let info = &self.model.info;
        let millis = |micros: u64| micros / 1000;
        let (start, end) = (millis(info.start_micros), millis(info.end_micros));
        (start..=end.saturating_add(CLOCK_MILLIS)).contains(&self.millis)
    }

    /// The dump.
    pub(crate) fn file(&self) -> &DumpFile {
        &self.file
    }

    /// An error with the file's name.
    pub(crate) fn fault(&self, error: DumpError) -> Error {
        fault(&self.path, error)
    }
}

/// The dump, and when it was written (Unix milliseconds).
fn opened(dump: &Path) -> Result<(DumpFile, u64)> {
    let open = || -> Result<(DumpFile, u64), DumpError> {
        let file = DumpFile::new(dump)?;
        let millis = file.unix_millis()?;
        Ok((file, millis))
    };
    open().map_err(|error| fault(dump, error))
}

fn fault(path: &Path, error: DumpError) -> Error {
    anyhow!("{}: {error}", path.display())
}

/// Why the trace does not know the dump's objects.
fn without_objects(model: &TraceModel) -> String {
    match unknown_heap(model) {
        Some(reason) => {
            format!("the trace does not know where objects were at that time{reason}")
        }
        None => WITHOUT_COLLECTION.to_owned(),
    }
}

fn strangers(outcome: &JoinOutcome) -> String {
    let mut classes: Vec<(&String, &u64)> = outcome.missing.iter().collect();
    classes.sort_by_key(|(_, count)| core::cmp::Reverse(**count));
    let named: Vec<String> = classes
        .iter()
        .take(CLASSES)
        .map(|(class, count)| format!("{count} {class}"))
        .collect();
    format!(
        "{} of its {} objects are not in the trace at their address ({}{})",
        outcome.missing_objects(),
        outcome.objects,
        named.join(", "),
        if classes.len() > CLASSES { ", ..." } else { "" }
    )
}
