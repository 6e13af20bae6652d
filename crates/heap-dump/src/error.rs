//! What can be wrong with a heap dump.

use std::io;

/// Why a dump cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The operating system reported an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not start like a heap dump.
    #[error(
        "this is no heap dump: it does not begin with JAVA PROFILE 1.0.1 or 1.0.2; make one with: ducktrack snapshot PID --dump"
    )]
    NoDump,
    /// Identifiers do not have 8 bytes.
    #[error("identifiers have {0} bytes; only dumps of 64-bit JVMs (8 bytes) can be read")]
    IdentifierSize(u32),
    /// The bytes break a rule of the format.
    #[error("the heap dump is damaged at byte {at}: {reason}")]
    Damaged {
        /// Offset in the (uncompressed) dump.
        at: u64,
        /// The rule that is broken.
        reason: &'static str,
    },
    /// The file ends too early.
    #[error("the heap dump is cut off at byte {at}: the JVM did not finish writing it")]
    Cut {
        /// Offset in the (uncompressed) dump.
        at: u64,
    },
    /// The dump exceeds the limits of the numbering.
    #[error("the heap dump has more than {most} {what}, more than can be analyzed")]
    TooLarge {
        /// Objects or references.
        what: &'static str,
        /// The limit.
        most: u64,
    },
}
