//! Verdicts on what leaks, from births and survivors on the program's own clock: the bytes that it has allocated.
//!
//! A [`Clock`] cuts the run into cells. For each subject (a site, a type, a group of objects) a
//! [`History`] says what was born in each cell and what of it was still alive at the last collection
//! that looked at all of the old space. [`judge`] turns both into a [`Judgement`]. `THEORY.md` says why.
//!
//! ```
//! use ducktrack_leaks::{Amount, Cell, Clock, History, Verdict, judge};
//! let clock = Clock::new((0..16).map(|_| Cell { bytes: 1 << 20, micros: 1_000 }).collect());
//! let history = History { kept: vec![Amount::of(10, 24); 16], ..History::default() };
//! assert_eq!(judge(&clock, &history).verdict, Verdict::Leaks);
//! ```
#![forbid(unsafe_code)]

mod amount;
mod beginning;
mod cell;
mod change;
mod clock;
mod cohorts;
mod covariate;
mod forecast;
mod groups;
mod history;
mod interval;
mod judgement;
mod levels;
mod lines;
mod oldest;
mod rate;
mod release;
mod slowing;
mod speed;
mod start;
mod table;
mod trend;
mod turnover;
mod verdict;

pub use amount::Amount;
pub use beginning::latest_beginning;
pub use cell::Cell;
pub use clock::Clock;
pub use cohorts::COHORTS;
pub use forecast::{Alarm, FREES_NOTHING, Forecast, HORIZON};
pub use groups::{Follower, Group, groups};
pub use history::{Death, History};
pub use interval::{CONFIDENCE, Interval, student_limit};
pub use judgement::{Judgement, Measure, NotKnown, Verdict};
pub use lines::Lines;
pub use speed::Speeds;
pub use table::grows_with;
pub use trend::BEND;
pub use verdict::{FEWEST_COHORTS, before_it_was_dropped, judge};
