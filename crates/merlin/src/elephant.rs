//! The text of Elephant Tracks, in and out.
//!
//! | | `ET1` (Elephant Tracks 1 and 2: hexadecimal, time is the place in the file) | `ET3` (decimal, the last field is the time) |
//! |---|---|---|
//! | object | `N id size type site 0 thread` (also `I`, `P`, `V`: other ways to allocate) | `N id size type site 0 time` |
//! | array | `A id size type site length thread` | `A id size type site length time` |
//! | update | `U old source new field thread` (`field` may be missing) | `U source new field time` |
//! | entry | `M method receiver thread` | `M method receiver time` |
//! | exit | `E method receiver thread` | `E method time` |
//! | exceptional exit | `X method receiver exception thread` | `X method receiver exception time` |
//! | root, witness | `R object thread` | not there |
//! | death | `D id thread` | `D id thread time` |
//!
//! ET3's time counts entries and exits. Types are numbers in ET3; ET1 writes the name.

mod reader;
mod writer;

pub use reader::{ElephantError, ElephantFault, ElephantReader};
pub use writer::ElephantWriter;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElephantForm {
    /// Elephant Tracks 1 and 2.
    Et1,
    /// Elephant Tracks 3.
    Et3,
}
