//! An estimate with its interval.

use ducktrack_leaks::Interval;
use serde::{Deserialize, Serialize};

use crate::event_trace::amounts::ratio;

/// An estimate, and the interval that holds the truth nineteen times of twenty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IntervalDoc {
    /// The estimate.
    pub value: f64,
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

pub(super) fn interval(interval: Interval) -> IntervalDoc {
    IntervalDoc {
        value: ratio(interval.value),
        low: ratio(interval.low),
        high: ratio(interval.high),
    }
}
