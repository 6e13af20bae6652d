//! The system's clock, as the trace has it.

use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn unix_millis() -> u64 {
    since_1970(|time| time.as_millis())
}

pub(crate) fn unix_micros() -> u64 {
    since_1970(|time| time.as_micros())
}

fn since_1970(unit: impl FnOnce(std::time::Duration) -> u128) -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    time.and_then(|time| u64::try_from(unit(time)).ok())
        .unwrap_or(0)
}
