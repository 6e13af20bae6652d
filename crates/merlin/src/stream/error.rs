//! Faults in the bytes of a stream.

use thiserror::Error;

/// A fault, and where it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The bytes could not be read.
    #[error("cannot read the stream at byte {at}")]
    Read {
        /// Bytes before.
        at: u64,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The bytes could not be written.
    #[error("cannot write the stream")]
    Write(#[source] std::io::Error),
    /// Another kind of file.
    #[error("not a neutral stream: it does not begin with \"\\x89MERLIN\\n\"")]
    NotAStream,
    /// A later format.
    #[error("stream version {version} is not known; this program reads version {known}")]
    Version {
        /// The stream's.
        version: u16,
        /// Ours.
        known: u16,
    },
    /// The stream ends too early.
    #[error(
        "the stream ends within the block at byte {at}: it was cut, and what came after is missing"
    )]
    Cut {
        /// Where the block begins.
        at: u64,
    },
    /// No end block.
    #[error(
        "the stream ends at byte {at} without its end block: its writer was stopped, and what came after is missing"
    )]
    NoEnd {
        /// The stream's length.
        at: u64,
    },
    /// A block that is longer than any.
    #[error("the block at byte {at} claims {length} bytes; blocks have at most {limit}")]
    BlockLength {
        /// Where the block begins.
        at: u64,
        /// The claim.
        length: u32,
        /// The limit.
        limit: u32,
    },
    /// The bytes are not those that were written.
    #[error(
        "the block at byte {at} has checksum {found:08x} instead of {expected:08x}: the file is damaged from here on"
    )]
    Checksum {
        /// Where the block begins.
        at: u64,
        /// As written.
        expected: u32,
        /// As computed.
        found: u32,
    },
    /// A record that cannot be.
    #[error("record {record} of the block at byte {at}: {fault}")]
    Record {
        /// Where the block begins.
        at: u64,
        /// Records of the block before it.
        record: u64,
        /// The fault.
        fault: RecordFault,
    },
}

/// The fault of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// Not a record of this version, and not one that can be stepped over.
    #[error("tag {0:#04x} is not known")]
    Tag(u8),
    /// The block ends first.
    #[error("the block ends within it")]
    Cut,
    /// No object has this id.
    #[error("object id {0} is not between 1 and 2^62 - 1")]
    Object(i128),
    /// Types, sites, methods, threads and slots have 32 bits.
    #[error("number {0} does not fit 32 bits")]
    Number(u64),
    /// Not a kind of root.
    #[error("root kind {0} is not known")]
    Root(u64),
    /// Flags that are not known.
    #[error("flags {0:#x} are not known")]
    Flags(u64),
    /// A clock or the time runs over.
    #[error("a clock runs over 64 bits")]
    Clock,
    /// Names are UTF-8.
    #[error("a name is not UTF-8")]
    Name,
    /// A stamp from before the stream.
    #[error("a stamp is {0} moments back, before the stream began")]
    Stamp(u64),
}
