//! Contexts: names of what threads did while they allocated (a request, a query, a job), and the blocks that counted for them.

use serde::{Deserialize, Serialize};

use crate::ids::{ContextId, ThreadId};

/// A context: a name of one kind. May be defined more than once, always the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Its id.
    pub id: ContextId,
    /// `http`, `sql`, or a kind of the user's.
    pub kind: String,
    /// `GET /orders/{id}`.
    pub name: String,
}

/// The values of this thread are those of the threads that ran in these contexts, as long as they did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextBlock {
    /// The thread that snapshots name; no thread of the program.
    pub thread: ThreadId,
    /// The innermost context of each kind that was in effect; one for each kind.
    pub contexts: Vec<ContextId>,
}

/// The executions of a context that have ended: totals since the start of the recording. Belongs to the snapshot that follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextExecutions {
    /// The context.
    pub context: ContextId,
    /// How many.
    pub executions: u64,
    /// Bytes that their threads allocated meanwhile, by the VM's count, contexts inside included.
    pub bytes: u64,
    /// How many executions by bucket of their bytes ([`execution_bucket`]), ascending.
    pub buckets: Vec<(u16, u64)>,
    /// The largest.
    pub largest: Option<LargestExecution>,
    /// Their objects; `None`: they were not counted by execution.
    pub objects: Option<ExecutionObjects>,
}

/// Objects of executions, contexts inside included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionObjects {
    /// Of all.
    pub sum: u64,
    /// The most of one.
    pub most: u64,
    /// How many executions by bucket of their objects ([`execution_bucket`]), ascending.
    pub buckets: Vec<(u16, u64)>,
}

/// The execution with the most bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargestExecution {
    /// Bytes.
    pub bytes: u64,
    /// When it ended, milliseconds since 1970; 0: not known, as the program was killed just then.
    pub unix_millis: u64,
    /// The name of its thread; empty where the time is not known.
    pub thread: String,
    /// The id of OpenTelemetry's trace that was current at its end.
    pub trace: Option<String>,
}

/// Bits of a value below its highest one that choose the bucket.
const BUCKET_BITS: u32 = 7;
/// Larger values are in the last bucket.
const LARGEST_VALUE: u64 = (1 << 46) - 1;

/// The bucket of a number of bytes or objects: one for each value below 256,
/// then 128 for each power of two, so none is wider than 1/128 of its values.
pub fn execution_bucket(value: u64) -> u16 {
    let value = value.min(LARGEST_VALUE);
    let above = (u64::BITS - 1 - BUCKET_BITS) - (value | 1 << BUCKET_BITS).leading_zeros();
    u16::try_from((u64::from(above) << BUCKET_BITS) + (value >> above)).unwrap_or(u16::MAX)
}

/// The values of a bucket, lowest and highest.
pub fn execution_bucket_range(bucket: u16) -> (u64, u64) {
    let above = (u32::from(bucket) >> BUCKET_BITS).saturating_sub(1);
    let digits = u64::from(bucket) - (u64::from(above) << BUCKET_BITS);
    let lowest = digits.checked_shl(above).unwrap_or(u64::MAX);
    let width = 1_u64.checked_shl(above).unwrap_or(u64::MAX);
    (lowest, lowest.saturating_add(width - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_are_narrow() {
        let mut next = 0;
        for bucket in 0..=execution_bucket(u64::MAX) {
            let (lowest, highest) = execution_bucket_range(bucket);
            assert_eq!(lowest, next, "{bucket}");
            assert_eq!(execution_bucket(lowest), bucket);
            assert_eq!(execution_bucket(highest), bucket);
            assert!((highest - lowest) * 128 <= lowest, "{bucket}");
            next = highest + 1;
        }
        assert_eq!(next, 1 << 46);
        assert!(execution_bucket(u64::MAX) < 40 * 1024 / 8);
    }
}
