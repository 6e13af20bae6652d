//! Why a trace cannot be read at all: what, where, and what to do. Damage inside a readable trace is not an error but
//! a [`Damage`](ducktrack_trace_format::Damage).

use std::io;
use std::path::PathBuf;

use ducktrack_trace_format::FormatError;

/// The reason, as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path cannot be opened.
    #[error("cannot open {}: {source}; give the directory that the agent names when the JVM starts", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A directory without a trace file.
    #[error("{} holds no ducktrack.trace; give the directory that the agent names when the JVM starts", path.display())]
    NoTrace {
        /// The directory.
        path: PathBuf,
    },
    /// The file does not start like a trace.
    #[error("cannot read {}: {source}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: StartError,
    },
}

/// A fault in the start of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No bytes at all.
    #[error("the file is empty, the JVM was stopped before anything was written; run it again")]
    Empty,
    /// Less than a header.
    #[error("the file ends after {present} bytes, inside its header; nothing can be read from it")]
    Cut {
        /// Bytes in the file.
        present: usize,
    },
    /// The header is not that of a trace which this version can read.
    #[error(transparent)]
    Header(#[from] FormatError),
    /// The system cannot read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
}
