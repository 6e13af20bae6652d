//! Lifetimes from exact death times: fates of single objects in, tallies out.
//!
//! ```text
//! Merlin ─ Fate ─> DeathTallies ─┬─ by site, type, caller: LifeTally (lifetime, drag, floating)
//!                                ├─ Survival: which share lives how long
//!                                └─ Demographics: how old the live heap is, at moments of the run
//! ```
//!
//! - *Lifetime*: from birth until the program could reach the object last; where the stream has bounds only, until the
//!   collection that found it dead.
//! - *Drag*: from the last use until the program could reach it last.
//! - *Floating*: from then until the collection that found it dead.

pub(crate) mod bridge;
mod demographics;
mod life_tally;
mod program_clock;
mod quantile_histogram;
mod survival;
mod tallies;

pub use demographics::{Demographics, DemographicsPoint};
pub use life_tally::{LifeTally, Spans};
pub use program_clock::ProgramClock;
pub use quantile_histogram::{QuantileHistogram, Quantiles};
pub use survival::{Survival, SurvivalPoint};
pub use tallies::{DeathRow, DeathTallies, Deaths};
