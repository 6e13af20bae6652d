//! The system clock, in the units of the trace.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(crate) fn unix_millis() -> u64 {
    since_1970(|time| time.as_millis())
}

pub(crate) fn unix_micros() -> u64 {
    since_1970(|time| time.as_micros())
}

/// Nanoseconds since `start`.
pub(crate) fn nanos_since(start: Instant) -> u64 {
    nanos(start.elapsed())
}

/// A duration in nanoseconds.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A duration in microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn since_1970(unit: impl FnOnce(Duration) -> u128) -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    time.and_then(|time| u64::try_from(unit(time)).ok())
        .unwrap_or(0)
}
