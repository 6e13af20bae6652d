//! The kinds of damage of a trace file: the vocabulary of the damage report.
//!
//! The reader finds damage, the model carries it, and every report prints it. A file without any [`Damage`] ended
//! with the agent's end record ([`Record::End`](crate::Record::End)), and all its blocks were verified.

use core::fmt;

/// One finding about one trace file. Positions are byte offsets from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends with a whole block but without the end record: the JVM was killed or is still running.
    NoEnd {
        /// Length of the file.
        at: u64,
    },
    /// The file ends inside its header or inside a block; everything before `at` was read.
    Cut {
        /// Where the incomplete part starts.
        at: u64,
        /// How many bytes of the incomplete part exist.
        present: u64,
    },
    /// A range that is no intact block was skipped; reading continued after it.
    CorruptBlock {
        /// Where the range starts.
        at: u64,
        /// How many intact blocks came before it.
        index: u64,
        /// How many bytes were skipped.
        skipped: u64,
        /// The fault of the block at `at`.
        reason: String,
    },
    /// Block numbers jump: whole blocks are missing or out of order.
    SequenceGap {
        /// Where the block with the unexpected number starts.
        at: u64,
        /// The expected number.
        expected: u32,
        /// The number found.
        found: u32,
    },
    /// Intact blocks of a kind (or with flags) this version does not know were skipped.
    UnknownBlocks {
        /// Number of such blocks.
        count: u64,
        /// Kind of the first.
        first_kind: u8,
        /// Where the first starts.
        at: u64,
    },
    /// Records of a kind that this version does not know were skipped.
    UnknownRecords {
        /// Number of such records.
        count: u64,
        /// Start of the block that holds the first.
        at: u64,
    },
    /// Records inside intact blocks that cannot be decoded were skipped.
    BadRecords {
        /// Number of such records.
        count: u64,
        /// Start of the block that holds the first.
        at: u64,
    },
    /// There are blocks after the end record.
    AfterEnd {
        /// Where the first of them starts.
        at: u64,
    },
    /// The operating system reported an error while reading.
    Unreadable {
        /// Offset of the first byte that could not be read.
        at: u64,
        /// The system's message.
        reason: String,
    },
    /// Further findings of these kinds, which are only counted.
    Further {
        /// Number of such findings.
        count: u64,
    },
    /// A file of the directory is not a readable trace at all; the others were read.
    NotATrace {
        /// The reason.
        reason: String,
    },
    /// A file of events was written by another run than the definitions; its sites would be others.
    OfAnotherRun {
        /// The process of that run.
        pid: u32,
    },
}

impl Damage {
    /// A stable name for JSON and CSV.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoEnd { .. } => "no-end",
            Self::Cut { .. } => "cut",
            Self::CorruptBlock { .. } => "corrupt-block",
            Self::SequenceGap { .. } => "sequence-gap",
            Self::UnknownBlocks { .. } => "unknown-blocks",
            Self::UnknownRecords { .. } => "unknown-records",
            Self::BadRecords { .. } => "bad-records",
            Self::AfterEnd { .. } => "after-end",
            Self::Unreadable { .. } => "unreadable",
            Self::Further { .. } => "further",
            Self::NotATrace { .. } => "not-a-trace",
            Self::OfAnotherRun { .. } => "of-another-run",
        }
    }

    /// The byte offset of the finding, if it has one.
    pub fn at(&self) -> Option<u64> {
        match *self {
            Self::NoEnd { at }
            | Self::Cut { at, .. }
            | Self::CorruptBlock { at, .. }
            | Self::SequenceGap { at, .. }
            | Self::UnknownBlocks { at, .. }
            | Self::UnknownRecords { at, .. }
            | Self::BadRecords { at, .. }
            | Self::AfterEnd { at }
            | Self::Unreadable { at, .. } => Some(at),
            Self::Further { .. } | Self::NotATrace { .. } | Self::OfAnotherRun { .. } => None,
        }
    }
}

/// One sentence without a full stop: what was found, where, and how it affects the numbers.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEnd { at } => write!(
                f,
                "no end record after byte {at}: the JVM was killed or still runs"
            ),
            Self::Cut { at, present } => write!(
                f,
                "cut at byte {at} ({present} bytes of an incomplete block follow): values are those of the last whole snapshot"
            ),
            Self::CorruptBlock {
                at,
                index,
                skipped,
                reason,
            } => write!(
                f,
                "block {index} at byte {at} is corrupt ({reason}): {skipped} bytes were skipped, their contents are missing"
            ),
            Self::SequenceGap {
                at,
                expected,
                found,
            } => write!(
                f,
                "block {expected} is missing at byte {at} (found block {found}): its contents are missing"
            ),
            Self::UnknownBlocks {
                count,
                first_kind,
                at,
            } => write!(
                f,
                "{count} blocks of an unknown kind (the first, kind {first_kind}, at byte {at}) were skipped: a newer ducktrack can read them"
            ),
            Self::UnknownRecords { count, at } => write!(
                f,
                "{count} records of an unknown kind (the first in the block at byte {at}) were skipped: a newer ducktrack can read them"
            ),
            Self::BadRecords { count, at } => write!(
                f,
                "{count} records (the first in the block at byte {at}) cannot be decoded: their contents are missing"
            ),
            Self::AfterEnd { at } => {
                write!(
                    f,
                    "blocks follow the end record at byte {at}: two writers, or files glued together"
                )
            }
            Self::Unreadable { at, reason } => write!(f, "cannot read on at byte {at}: {reason}"),
            Self::Further { count } => write!(f, "{count} further findings like these"),
            Self::NotATrace { reason } => write!(f, "left out: {reason}"),
            Self::OfAnotherRun { pid } => {
                write!(f, "left out: it is of another run (process {pid})")
            }
        }
    }
}
