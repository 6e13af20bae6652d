//! Statements of a trace that contradict each other. None is repaired silently; every report prints them.

use core::fmt;

use ducktrack_trace_format::{CounterId, SiteId};

use crate::{SiteIndex, ThreadIndex};

/// One contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inconsistency {
    /// A site's executed objects or bytes, or its materialized ones, are below zero.
    NegativeSite {
        /// The row.
        site: SiteIndex,
        /// `count`, `bytes`, `materialized count`, `materialized bytes`, `length bucket`.
        what: &'static str,
        /// The value.
        value: i64,
    },
    /// A thread's executed objects or bytes over all sites are below zero.
    NegativeThread {
        /// The row.
        thread: ThreadIndex,
        /// `count` or `bytes`.
        what: &'static str,
        /// The value.
        value: i64,
    },
    /// More objects reached the heap than were executed.
    MoreMaterializedThanExecuted {
        /// The row.
        site: SiteIndex,
    },
    /// A site has a fixed size and byte counters; the fixed size was used, and these bytes were not.
    SizeAndByteCounters {
        /// The site of the trace.
        site: SiteId,
        /// The bytes by the byte counters.
        bytes: i64,
    },
    /// A site was given two sizes; the first was used.
    TwoSizes {
        /// The site of the trace.
        site: SiteId,
        /// The size in use.
        first: u32,
        /// The other.
        second: u32,
    },
    /// A value does not fit 64 bits and was held at the limit.
    Overflow {
        /// Of what.
        what: &'static str,
        /// How often.
        times: u64,
    },
    /// A record names something that no other record introduces; its values are in the totals only where that is possible.
    Unknown {
        /// `class`, `method`, `site`, `counter`, `call site`, `thread`.
        what: &'static str,
        /// How often.
        times: u64,
        /// The first such id.
        first: u32,
    },
    /// Something is introduced twice and differently; the first was used.
    Redefined {
        /// `class`, `method`, `site`, `counter`, `call site`.
        what: &'static str,
        /// How often.
        times: u64,
        /// The first such id.
        first: u32,
    },
    /// A counter's total over all threads is lower than in an earlier snapshot.
    CounterWentBack {
        /// The counter of the trace.
        counter: CounterId,
        /// Number of the snapshot.
        snapshot: u32,
        /// By how much.
        by: u64,
        /// How many fell in this snapshot; this one fell most.
        times: u64,
    },
    /// A site's keyed total over all threads is lower than in an earlier snapshot.
    KeyedWentBack {
        /// The site of the trace.
        site: SiteId,
        /// Number of the snapshot.
        snapshot: u32,
        /// By how much.
        by: u64,
        /// How many fell in this snapshot; this one fell most.
        times: u64,
    },
    /// The last parts of a snapshot are missing; what is there of it was not used.
    PartialSnapshot {
        /// Its number.
        snapshot: u32,
    },
    /// Snapshot numbers do not ascend.
    SnapshotOrder {
        /// The number that came.
        found: u32,
        /// The number before it.
        after: u32,
    },
    /// The trace describes more than one run; the first is shown as the run, the values are added up.
    SeveralRuns {
        /// How many.
        runs: u64,
    },
}

impl Inconsistency {
    /// A stable word for JSON and CSV.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NegativeSite { .. } => "negative-site",
            Self::NegativeThread { .. } => "negative-thread",
            Self::MoreMaterializedThanExecuted { .. } => "more-materialized-than-executed",
            Self::SizeAndByteCounters { .. } => "size-and-byte-counters",
            Self::TwoSizes { .. } => "two-sizes",
            Self::Overflow { .. } => "overflow",
            Self::Unknown { .. } => "unknown",
            Self::Redefined { .. } => "redefined",
            Self::CounterWentBack { .. } => "counter-went-back",
            Self::KeyedWentBack { .. } => "keyed-went-back",
            Self::PartialSnapshot { .. } => "partial-snapshot",
            Self::SnapshotOrder { .. } => "snapshot-order",
            Self::SeveralRuns { .. } => "several-runs",
        }
    }
}

/// One sentence without a full stop. Rows are named by number; a report may add their names.
impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeSite { site, what, value } => {
                write!(f, "{what} of {site:?} is {value}, below zero")
            }
            Self::NegativeThread {
                thread,
                what,
                value,
            } => write!(f, "{what} of {thread:?} is {value}, below zero"),
            Self::MoreMaterializedThanExecuted { site } => {
                write!(
                    f,
                    "more objects of {site:?} reached the heap than were executed"
                )
            }
            Self::SizeAndByteCounters { site, bytes } => write!(
                f,
                "{site:?} of the trace has a fixed size and byte counters too; their {bytes} bytes were left out"
            ),
            Self::TwoSizes {
                site,
                first,
                second,
            } => {
                write!(
                    f,
                    "{site:?} of the trace has two sizes, {first} and {second}; the first was used"
                )
            }
            Self::Overflow { what, times } => {
                write!(f, "{what}: {times} values do not fit 64 bits")
            }
            Self::Unknown { what, times, first } => {
                write!(
                    f,
                    "{times} statements about a {what} that the trace does not introduce (the first: {first})"
                )
            }
            Self::Redefined { what, times, first } => {
                write!(
                    f,
                    "{times} times a {what} is introduced again and differently (the first: {first})"
                )
            }
            Self::CounterWentBack {
                counter,
                snapshot,
                by,
                times,
            } => write!(
                f,
                "{times} counters are lower in snapshot {snapshot} than before, {counter:?} by {by}"
            ),
            Self::KeyedWentBack {
                site,
                snapshot,
                by,
                times,
            } => write!(
                f,
                "keyed counts of {times} sites are lower in snapshot {snapshot} than before, {site:?} of the trace by {by}"
            ),
            Self::PartialSnapshot { snapshot } => {
                write!(f, "snapshot {snapshot} is not whole and was not used")
            }
            Self::SnapshotOrder { found, after } => {
                write!(f, "snapshot {found} comes after snapshot {after}")
            }
            Self::SeveralRuns { runs } => {
                write!(f, "the trace holds {runs} runs; their values are added up")
            }
        }
    }
}
