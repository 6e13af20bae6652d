//! What can be wrong with a heap dump.

use std::io;

/// Why a dump cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The file system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not begin as a heap dump does.
    #[error(
        "this is no heap dump: it does not begin with JAVA PROFILE 1.0.1 or 1.0.2; make one with: ducktrack dump PID"
    )]
    NoDump,
    /// Identifiers are not addresses of 8 bytes.
    #[error("identifiers have {0} bytes; only dumps of 64-bit JVMs (8 bytes) can be read")]
    IdentifierSize(u32),
    /// The bytes break a rule of the format.
    #[error("the heap dump is damaged at byte {at}: {reason}")]
    Damaged {
        /// Position in the (unpacked) dump.
        at: u64,
        /// Which rule.
        reason: &'static str,
    },
    /// The file ends too early.
    #[error("the heap dump is cut off at byte {at}: the JVM did not finish writing it")]
    Cut {
        /// Position in the (unpacked) dump.
        at: u64,
    },
    /// More than this program can number.
    #[error("the heap dump has more than {most} {what}, more than can be analyzed")]
    TooLarge {
        /// Objects or references.
        what: &'static str,
        /// The limit.
        most: u64,
    },
}
