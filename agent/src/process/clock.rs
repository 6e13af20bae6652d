//! The system clock, in the units of the trace.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub(crate) fn unix_millis() -> u64 {
    since_1970(|time| time.as_millis())
}

pub(crate) fn unix_micros() -> u64 {
    since_1970(|time| time.as_micros())
}

/// Nanoseconds since `start`.
pub(crate) fn nanos_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn since_1970(unit: impl FnOnce(std::time::Duration) -> u128) -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    time.and_then(|time| u64::try_from(unit(time)).ok())
        .unwrap_or(0)
}
