//! How long the crate's own work takes.

use std::time::Instant;

/// Nanoseconds since `start`.
pub(crate) fn nanos_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
