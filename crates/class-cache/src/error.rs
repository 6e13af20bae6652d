//! Why there is no cache, or none to be saved.

use std::io;
use std::path::PathBuf;

/// One line for the person who asked for the cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The directory cannot be made or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Of the directory or file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Somebody else could have written what is there.
    #[error("{}: it belongs to another user, or others may write it", path.display())]
    Foreign {
        /// Of the directory or file.
        path: PathBuf,
    },
    /// What is there was not written by this agent, or not to its end.
    #[error("{}: it is damaged", path.display())]
    Damaged {
        /// Of the file.
        path: PathBuf,
    },
    /// Another JVM is saving, for a long time.
    #[error("{}: another JVM holds it", path.display())]
    Busy {
        /// Of the lock.
        path: PathBuf,
    },
}

impl CacheError {
    /// An error of the system at a path.
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}
