//! The records of a trace: of one file, or of all files of a directory in the order in which they were written. For a run that has not
//! ended, the values of its mapped counters follow.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ducktrack_trace_format::{Damage, JOURNAL_FILE_NAME, Record, ThreadId};

use crate::counter_file::{CounterFile, MappedCounters};
use crate::journal_records::JournalRecords;
use crate::last_values::CounterContext;
use crate::live_events::threads_with_buffers;
use crate::{MissingEnd, ReadError, RecordReader};

/// Reads a trace. Iterates over the records; [`TraceReader::damage`] is complete when the iterator has ended.
#[derive(Debug)]
pub struct TraceReader {
    current: Option<(PathBuf, RecordReader<File>)>,
    waiting: VecDeque<PathBuf>,
    files: Vec<PathBuf>,
    damage: Vec<(PathBuf, Damage)>,
    /// The directory in which to look for a journal.
    journal_in: Option<PathBuf>,
    journal: Option<(PathBuf, JournalRecords)>,
    /// Definition records in the files so far.
    definitions: u64,
    /// The mapped counters when the trace was opened.
    counters: Option<MappedCounters>,
    /// The threads whose event buffers survive a kill, if those of some do not.
    kept_buffers: Option<BTreeSet<ThreadId>>,
    context: CounterContext,
    /// The records of the last values.
    last: VecDeque<Record>,
    unended: Option<MissingEnd>,
}

impl TraceReader {
    /// Opens a trace file, or the trace in a directory. An error means that nothing at all can be read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let (counters, counter_damage) = mapped_counters(path);
        let files = trace_files(path)?;
        let mut reader = Self {
            current: None,
            waiting: files.iter().cloned().collect(),
            files,
            journal_in: path.is_dir().then(|| path.to_owned()),
            journal: None,
            definitions: 0,
            damage: counter_damage.into_iter().collect(),
            counters,
            kept_buffers: threads_with_buffers(path),
            context: CounterContext::default(),
            last: VecDeque::new(),
            unended: None,
        };
        let mut first_error = None;
        while reader.current.is_none() {
            match reader.open_next() {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    first_error.get_or_insert(error);
                }
                None => {
                    let path = path.to_owned();
                    return Err(first_error.unwrap_or(ReadError::NoTrace { path }));
                }
            }
        }
        Ok(reader)
    }

    /// The files of the trace.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The damage found, by file. Complete once the iterator has ended.
    pub fn damage(&self) -> &[(PathBuf, Damage)] {
        &self.damage
    }

    /// The state of the run, if it has not ended and left mapped counters. Complete once the iterator has ended.
    pub fn unended(&self) -> Option<&MissingEnd> {
        self.unended.as_ref()
    }

    /// The values of the mapped counters, each record once, if the trace has no end.
    fn last_values(&mut self) -> Option<Record> {
        if let Some(counters) = self.counters.take()
            && !self.context.has_ended()
        {
            self.find_last_values(&counters);
        }
        self.last.pop_front()
    }

    fn find_last_values(&mut self, counters: &MappedCounters) {
        let mut unended = self.context.unended(counters);
        if let Some(kept) = self.kept_buffers.take() {
            unended.private_threads = self.context.threads_besides(&kept);
        }
        if unended.has_counters {
            self.forget_torn_ends();
        }
        self.unended = Some(unended);
        let executions = self.context.executions(counters).into_iter();
        let snapshot = self.context.snapshot(counters).map(Record::Snapshot);
        self.last = executions
            .map(Record::ContextExecutions)
            .chain(snapshot)
            .collect();
    }

    /// Downgrades cut blocks to a missing end. A block that was being written when the process ended holds nothing that the counters need:
    /// definitions are written before the code that counts, and the values are in the counters.
    fn forget_torn_ends(&mut self) {
        for (_, damage) in &mut self.damage {
            if let Damage::Cut { at, .. } = *damage {
                *damage = Damage::NoEnd { at };
            }
        }
    }

    /// Opens the next file; a file that is no trace is noted as damaged.
    fn open_next(&mut self) -> Option<Result<(), ReadError>> {
        let path = self.waiting.pop_front()?;
        match open_file(&path) {
            Ok(reader) => {
                self.current = Some((path, reader));
                Some(Ok(()))
            }
            Err(error) => {
                let reason = match &error {
                    ReadError::Start { source, .. } => source.to_string(),
                    other => other.to_string(),
                };
                self.damage.push((path, Damage::NotATrace { reason }));
                Some(Err(error))
            }
        }
    }

    fn close_current(&mut self) {
        if let Some((path, reader)) = self.current.take() {
            self.definitions += reader.definitions();
            if reader.ended_properly() {
                self.journal_in = None;
            }
            let findings = reader.damage().into_iter();
            self.damage
                .extend(findings.map(|damage| (path.clone(), damage)));
        }
    }

    /// The next definition that only the journal of an unfinished trace has.
    fn next_in_journal(&mut self) -> Option<Record> {
        if let Some(directory) = self.journal_in.take() {
            let journal = JournalRecords::open(&directory, self.definitions)?;
            self.journal = Some((directory.join(JOURNAL_FILE_NAME), journal));
        }
        let (path, mut journal) = self.journal.take()?;
        match journal.next() {
            Some(record) => {
                self.journal = Some((path, journal));
                Some(record)
            }
            None => {
                let findings = journal.damage().into_iter();
                self.damage
                    .extend(findings.map(|damage| (path.clone(), damage)));
                None
            }
        }
    }
}

impl Iterator for TraceReader {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            if let Some((_, reader)) = &mut self.current {
                if let Some(record) = reader.next() {
                    self.context.note(&record);
                    return Some(record);
                }
                self.close_current();
            }
            // If a file cannot be opened, that is noted and the next one is tried.
            if self.open_next().is_none() {
                let definition = self.next_in_journal();
                if let Some(record) = &definition {
                    self.context.note(record);
                }
                return definition.or_else(|| self.last_values());
            }
        }
    }
}

/// The counters of a directory, or what is wrong with them.
fn mapped_counters(path: &Path) -> (Option<MappedCounters>, Option<(PathBuf, Damage)>) {
    let read = |file: CounterFile| match file.read() {
        Ok(counters) => (Some(counters), None),
        Err(error) => {
            let reason = error.to_string();
            let damage = Damage::NotATrace { reason };
            (None, Some((file.path().to_owned(), damage)))
        }
    };
    match CounterFile::open(path) {
        Ok(Some(file)) => read(file),
        // A single file has no counters beside it; a path that cannot be opened has none either.
        Ok(None) | Err(_) => (None, None),
    }
}

fn open_file(path: &Path) -> Result<RecordReader<File>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Open {
        path: path.to_owned(),
        source,
    })?;
    RecordReader::start(file).map_err(|source| ReadError::Start {
        path: path.to_owned(),
        source,
    })
}

/// The file itself, or the trace files of a directory in order.
pub(crate) fn trace_files(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let cannot_open = |source| ReadError::Open {
        path: path.to_owned(),
        source,
    };
    if !fs::metadata(path).map_err(cannot_open)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(cannot_open)? {
        let entry = entry.map_err(cannot_open)?;
        if let Some(number) = entry.file_name().to_str().and_then(file_number) {
            files.push((number, entry.path()));
        }
    }
    if files.is_empty() {
        return Err(ReadError::NoTrace {
            path: path.to_owned(),
        });
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// `ducktrack.trace` is 0, `ducktrack.7.trace` is 7; other names do not belong to the trace.
fn file_number(name: &str) -> Option<u64> {
    match name.strip_prefix("ducktrack.")?.strip_suffix("trace")? {
        "" => Some(0),
        number => number.strip_suffix('.')?.parse().ok(),
    }
}
