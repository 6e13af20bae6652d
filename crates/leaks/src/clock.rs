//! The program's clock: the bytes that it has allocated.

use crate::cohorts::COHORTS;

/// A part of the clock: the time between two collections, several of these in a row, or a slice of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Bytes allocated in it.
    pub bytes: u64,
    /// Microseconds that it took.
    pub micros: u64,
}

/// The judged span, cut into cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    cells: Vec<Cell>,
    collections: u32,
}

impl Clock {
    /// The cells of the judged span, in order.
    pub fn new(cells: Vec<Cell>) -> Self {
        let collections = u32::try_from(cells.len()).unwrap_or(u32::MAX);
        Self::of_collections(cells, collections)
    }

    /// The same, of a span that so many collections cut. Between two of them nobody knows when an object died.
    pub fn of_collections(cells: Vec<Cell>, collections: u32) -> Self {
        Self { cells, collections }
    }

    /// The same collections, and less of the clock.
    pub(crate) fn until(&self, cells: usize) -> Self {
        Self {
            cells: self.cells.iter().take(cells).copied().collect(),
            ..*self
        }
    }

    /// Fewer collections than cohorts: of most objects that are dead nobody knows for how long they lived.
    pub(crate) fn is_coarse(&self) -> bool {
        (self.collections as usize) < COHORTS
    }

    /// Its cells, in order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Bytes allocated in the span.
    pub fn bytes(&self) -> u64 {
        self.cells
            .iter()
            .fold(0, |sum, cell| sum.saturating_add(cell.bytes))
    }

    /// Bytes allocated in a second while the program works: half of all bytes were allocated in cells that were faster. A pause of the program makes one cell slow
    /// and changes nothing here. 0: not known.
    pub fn bytes_per_second(&self) -> f64 {
        let mut speeds: Vec<(f64, u64)> = self
            .cells
            .iter()
            .filter(|cell| cell.micros > 0 && cell.bytes > 0)
            .map(|cell| (cell.bytes as f64 * 1e6 / cell.micros as f64, cell.bytes))
            .collect();
        speeds.sort_by(|a, b| b.0.total_cmp(&a.0));
        let half = speeds.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>() / 2.0;
        let mut passed = 0.0;
        for (speed, bytes) in speeds {
            passed += bytes as f64;
            if passed > half {
                return speed;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_dilutes_nothing() {
        let working = Cell {
            bytes: 1_000_000,
            micros: 100_000,
        };
        let idle = Cell {
            bytes: 1_000_000,
            micros: 3_600_000_000,
        };
        let clock = Clock::new(vec![working, working, idle, working, Cell::default()]);
        assert!((clock.bytes_per_second() - 1e7).abs() < 1.0);
        assert_eq!(clock.bytes(), 4_000_000);
        assert_eq!(Clock::default().bytes_per_second(), 0.0);
    }
}
