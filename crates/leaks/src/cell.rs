//! A part of the clock.

/// A part of the clock: the time between two collections, several of these in a row, or a slice of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Bytes allocated in it.
    pub bytes: u64,
    /// Microseconds that it took.
    pub micros: u64,
}

impl core::ops::AddAssign for Cell {
    /// Sums end at the largest number: bytes and times come from a file.
    fn add_assign(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.micros = self.micros.saturating_add(other.micros);
    }
}

impl core::iter::Sum for Cell {
    fn sum<I: Iterator<Item = Self>>(cells: I) -> Self {
        cells.fold(Self::default(), |mut sum, cell| {
            sum += cell;
            sum
        })
    }
}
