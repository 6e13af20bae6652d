//! The directory of one trace: `ducktrack.trace`, and until the trace ends `definitions.journal`.
//!
//! The trace file is always created, never opened: the process that creates it owns the trace. So two JVMs with the
//! same directory cannot damage each other's trace, and a finished trace is never overwritten; the later JVM gets a
//! directory with a number after its name (`out`, `out.1`, `out.2`, ...).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::definitions_journal::DefinitionsJournal;
use crate::private_directory;
use crate::storage::DiskFile;
use crate::trace_file::TraceFile;
use crate::{CountWriter, WriteError, WriterOptions};

/// The name of the trace file in its directory.
pub const TRACE_FILE_NAME: &str = "ducktrack.trace";

/// The highest number that is tried.
const MOST_NUMBERS: u32 = 9_999;

/// A directory with a new trace file that belongs to this writer alone.
pub struct TraceDirectory {
    path: PathBuf,
    number: u32,
    file: TraceFile,
}

impl TraceDirectory {
    /// Creates the directory (with its parents) and the trace file. If the directory has a trace already, takes the
    /// first free numbered name instead.
    pub fn create(wanted: &Path) -> Result<Self, WriteError> {
        let wanted = std::path::absolute(wanted).unwrap_or_else(|_| wanted.to_owned());
        for number in 0..=MOST_NUMBERS {
            let path = numbered(&wanted, number);
            if let Some(file) = create_file_in(&path)? {
                return Ok(Self { path, number, file });
            }
        }
        Err(WriteError::NoFreeName {
            path: wanted,
            tried: MOST_NUMBERS,
        })
    }

    /// The path that was chosen.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The trace file.
    pub fn file(&self) -> &Path {
        self.file.path()
    }

    /// True when the wanted directory held a trace already, so that this one has a number after its name.
    pub fn is_renamed(&self) -> bool {
        self.number > 0
    }

    /// Starts writing in count mode.
    pub fn into_count_writer(self, options: WriterOptions) -> CountWriter {
        let journal = DefinitionsJournal::in_directory(self.path);
        CountWriter::new(self.file, journal, options)
    }
}

fn numbered(wanted: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return wanted.to_owned();
    }
    let mut name = wanted.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// `None` if there is a trace file already.
fn create_file_in(directory: &Path) -> Result<Option<TraceFile>, WriteError> {
    private_directory::create(directory).map_err(|source| WriteError::CreateDirectory {
        path: directory.to_owned(),
        source,
    })?;
    let path = directory.join(TRACE_FILE_NAME);
    let disk_file = match DiskFile::create(path.clone()) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        Err(source) => return Err(WriteError::CreateFile { path, source }),
    };
    TraceFile::start(Box::new(disk_file), Default::default()).map(Some)
}
