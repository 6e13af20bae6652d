//! The records of a trace: of one file, or of all files of a directory in the order in which they were written.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ducktrack_trace_format::{Damage, Record};

use crate::{ReadError, RecordReader};

/// Reads a trace. An iterator over records; when it has ended, [`TraceReader::damage`] is complete.
#[derive(Debug)]
pub struct TraceReader {
    current: Option<(PathBuf, RecordReader<File>)>,
    waiting: VecDeque<PathBuf>,
    files: Vec<PathBuf>,
    damage: Vec<(PathBuf, Damage)>,
}

impl TraceReader {
    /// Opens a trace file, or the trace in a directory. An error means that nothing at all can be read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let files = trace_files(path)?;
        let mut reader = Self {
            current: None,
            waiting: files.iter().cloned().collect(),
            files,
            damage: Vec::new(),
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

    /// What was found wrong, by file. Complete once the iterator has ended.
    pub fn damage(&self) -> &[(PathBuf, Damage)] {
        &self.damage
    }

    /// Opens the next file; one that is no trace is noted as damage of the whole.
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
            let findings = reader.damage().into_iter();
            self.damage
                .extend(findings.map(|damage| (path.clone(), damage)));
        }
    }
}

impl Iterator for TraceReader {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            if let Some((_, reader)) = &mut self.current {
                if let Some(record) = reader.next() {
                    return Some(record);
                }
                self.close_current();
            }
            // A file that does not open is noted, the next one is tried.
            let _ = self.open_next()?;
        }
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
fn trace_files(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
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

/// `ducktrack.trace` is 0, `ducktrack.7.trace` is 7; other names are not of the trace.
fn file_number(name: &str) -> Option<u64> {
    match name.strip_prefix("ducktrack.")?.strip_suffix("trace")? {
        "" => Some(0),
        number => number.strip_suffix('.')?.parse().ok(),
    }
}
