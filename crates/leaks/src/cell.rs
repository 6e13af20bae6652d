//! A part of the clock.

/// A part of the clock: the time between two collections, several of these in a row, or a slice of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Bytes allocated in it.
    pub bytes: u64,
    /// Microseconds that it took.
    pub micros: u64,
}
