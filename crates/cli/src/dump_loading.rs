//! A heap dump and the trace of the same JVM, joined; or one line that says why they do not belong together.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail};
use ducktrack_analyses::{LiveObjects, Questions, TraceModel};
use ducktrack_holders::{DumpError, DumpFile, HeapGraph, JoinOutcome, JoinedDump};

use crate::trace_report::unknown_heap;

/// Classes that a refusal names.
const CLASSES: usize = 3;

/// A trace whose objects at the time of a dump are known.
pub(crate) struct DumpTrace {
    pub(crate) model: TraceModel,
    file: DumpFile,
    path: PathBuf,
}

impl DumpTrace {
    /// Reads the trace; the questions are asked beside that for the dump's objects.
    pub(crate) fn load(
        load: impl FnOnce(&Questions) -> Result<TraceModel>,
        dump: &Path,
        questions: Questions,
    ) -> Result<Self> {
        let open = || -> Result<(DumpFile, u64), DumpError> {
            let file = DumpFile::new(dump)?;
            let millis = file.unix_millis()?;
            Ok((file, millis))
        };
        let (file, millis) = open().map_err(|error| fault(dump, error))?;
        let model = load(&Questions {
            heap_dump: Some(millis),
            ..questions
        })?;
        Ok(Self {
            model,
            file,
            path: dump.to_owned(),
        })
    }

    /// The objects after the collection with which the dump began; once.
    pub(crate) fn objects(&mut self) -> Result<LiveObjects> {
        self.model
            .objects
            .take()
            .ok_or_else(|| anyhow!("{}: {}", self.path.display(), without_objects(&self.model)))
    }

    /// Reads the dump and finds all its objects in the trace.
    pub(crate) fn join(&mut self) -> Result<JoinedDump> {
        let objects = self.objects()?;
        let graph = HeapGraph::read(self.file.clone()).map_err(|error| self.fault(error))?;
        let joined = JoinedDump::new(graph, objects);
        if !joined.outcome.is_good() {
            bail!("{}: {}", self.path.display(), strangers(&joined.outcome));
        }
        Ok(joined)
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

fn fault(path: &Path, error: DumpError) -> Error {
    anyhow!("{}: {error}", path.display())
}

/// Why the trace does not know the dump's objects.
fn without_objects(model: &TraceModel) -> String {
    match unknown_heap(model) {
        Some(reason) => {
            format!("the trace does not know where objects were at that time{reason}")
        }
        None => "the trace has no collection with which this dump can have begun: dump the traced JVM while it runs, with ducktrack dump (live objects only)".to_owned(),
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
        "{} of its {} objects are not in the trace at their address ({}{}): it is a dump of another JVM or moment",
        outcome.missing_objects(),
        outcome.objects,
        named.join(", "),
        if classes.len() > CLASSES { ", ..." } else { "" }
    )
}
