//! Estimates in the unit of documents.

use ducktrack_analyses::Estimate;

/// Nanoseconds in microseconds.
pub(super) fn micros(nanos: Estimate) -> (u64, [u64; 2]) {
    // A run's pauses fit into u64; negative values do not occur.
    let micros = |nanos: f64| (nanos / 1e3).round().max(0.0) as u64;
    (micros(nanos.value), [micros(nanos.low), micros(nanos.high)])
}
