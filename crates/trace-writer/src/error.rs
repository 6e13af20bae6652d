//! Why something could not be written, where, and what to do about it. The profiled program runs on.

use std::io;
use std::path::PathBuf;

use ducktrack_trace_format::FormatError;

/// One failure to write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The trace directory cannot be created.
    #[error("cannot create the trace directory {}: {source}; choose another with the agent's option `output`", path.display())]
    CreateDirectory {
        /// Path of the directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The trace file cannot be created.
    #[error("cannot create the trace file {}: {source}; choose another directory with the agent's option `output`", path.display())]
    CreateFile {
        /// Path of the file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The directory and all its numbered neighbours hold traces already.
    #[error(
        "{} and the {tried} directories numbered after it hold traces already; remove some or choose another with the agent's option `output`",
        path.display()
    )]
    NoFreeName {
        /// The directory asked for.
        path: PathBuf,
        /// How many numbers were tried.
        tried: u32,
    },
    /// Bytes cannot be appended. Everything written before is intact; the next attempt continues there.
    #[error("cannot write to {}: {source}{}; what was written before is intact", path.display(), file_limit(source))]
    Append {
        /// Path of the file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file was deleted or replaced while it was being written, and cannot be restored.
    #[error("the trace file {} was deleted while the JVM ran and cannot be restored: {source}", path.display())]
    Restore {
        /// Path of the file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A record cannot be encoded.
    #[error("a record cannot be written: {source}")]
    Record {
        /// The rule it breaks.
        #[from]
        source: FormatError,
    },
    /// The file cannot be written, and the memory for waiting definitions is full.
    #[error(
        "a definition was dropped: {waiting} bytes are waiting already because the trace file cannot be written"
    )]
    WaitingRoomFull {
        /// Bytes that wait.
        waiting: usize,
    },
    /// The last attempt has failed a moment ago; definitions wait in memory for the next one.
    #[error("definitions wait in memory, because a write has just failed")]
    Waiting,
    /// A thread of the writer cannot be started.
    #[error("cannot start a thread that writes events: {source}")]
    Thread {
        /// The system's reason.
        source: io::Error,
    },
    /// The end record has been written already.
    #[error("the trace has ended; nothing can follow")]
    Ended,
}

/// Names the limit of file sizes where it is the reason.
fn file_limit(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::FileTooLarge => ": the limit of file sizes (ulimit -f) is reached, raise it",
        _ => "",
    }
}

impl WriteError {
    /// The operating system's error number, if the error came from the operating system.
    pub fn system_error(&self) -> Option<u64> {
        let number = match self {
            Self::CreateDirectory { source, .. }
            | Self::CreateFile { source, .. }
            | Self::Append { source, .. }
            | Self::Restore { source, .. }
            | Self::Thread { source } => source.raw_os_error(),
            _ => None,
        };
        number.and_then(|number| u64::try_from(number).ok())
    }
}
