//! Units of counters.

use serde::{Deserialize, Serialize};

/// The unit of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Objects executed.
    Count,
    /// Bytes of objects executed, where the site has no fixed size.
    Bytes,
    /// Objects that reached the heap (`record=materialized`).
    MaterializedCount,
    /// Bytes that reached the heap (`record=materialized`).
    MaterializedBytes,
    /// Arrays whose length n has `64 - leading_zeros(n) == k`: 0, 1, 2-3, 4-7, ...
    LengthBucket(u8),
    /// Executions of a counted call, which is no site. Traces have these terms in records of their own, never in those of counters.
    Calls,
}
