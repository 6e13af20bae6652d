//! Executed allocations of a piece of the program's run, for the program itself: `java.lang.DuckTrackMeasured`.
//!
//! A measurement is the difference of two readings of a thread's counters. Counters only grow, and each keeps its meaning for the
//! whole run, so a class that is rewritten in between changes nothing: the old version's counters and the new version's are both
//! in the difference. All frames of the piece begin and end within it, so none has executed allocations that are not yet counted.

mod difference;
mod open_measurements;
mod rows;
mod sites;
mod survivors;

pub(crate) use open_measurements::{Measured, open_threads_address};
pub(crate) use rows::rows;
pub(crate) use sites::{add_sites, readings};
pub(crate) use survivors::SurvivorWatch;
