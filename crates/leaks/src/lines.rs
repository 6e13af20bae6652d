//! Lines of source at work.

use crate::interval::CONFIDENCE;

/// Lines of source that allocate in a cell of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// All of them.
    pub at_work: u32,
    /// Of these: at work for the first time.
    pub new: u32,
}

impl Lines {
    /// More of them are new than what lies outside of an interval.
    pub(crate) fn are_of_a_start(self) -> bool {
        f64::from(self.new) > (1.0 - CONFIDENCE) * f64::from(self.at_work)
    }
}
