//! The program's clock: the bytes that it has allocated.

use crate::cell::Cell;
use crate::lines::Lines;
use crate::speed::Speeds;

/// The judged span, cut into cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    cells: Vec<Cell>,
    collections: u32,
    bytes_per_second: f64,
    unseen_loaders: Vec<u64>,
    lines: Vec<Lines>,
}

impl Clock {
    /// The cells of the judged span, in order.
    pub fn new(cells: Vec<Cell>) -> Self {
        let collections = u32::try_from(cells.len()).unwrap_or(u32::MAX);
        let mut speeds = Speeds::default();
        cells.iter().for_each(|cell| speeds.add(*cell));
        Self::of_collections(cells, collections, &speeds)
    }

    /// The same, of a span that so many collections cut, with the speeds of its
    /// finest parts. Between two collections nobody knows when an object died.
    pub fn of_collections(cells: Vec<Cell>, collections: u32, speeds: &Speeds) -> Self {
        Self {
            cells,
            collections,
            bytes_per_second: speeds.bytes_per_second(),
            unseen_loaders: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// The same, with the class loaders that were made in each cell and that no collection
    /// has looked at: young collections take what they hold as alive, wherever it lies.
    pub fn with_unseen_loaders(self, unseen_loaders: Vec<u64>) -> Self {
        Self {
            unseen_loaders,
            ..self
        }
    }

    /// The same, with the lines that allocate in each cell.
    pub fn with_lines(self, lines: Vec<Lines>) -> Self {
        Self { lines, ..self }
    }

    /// By cell; empty: not known.
    pub(crate) fn lines(&self) -> &[Lines] {
        &self.lines
    }

    /// Class loaders that nobody has looked at, by cell; empty: there are none.
    pub(crate) fn unseen_loaders(&self) -> &[u64] {
        &self.unseen_loaders
    }

    /// The same collections, and less of the clock.
    pub(crate) fn until(&self, cells: usize) -> Self {
        Self {
            cells: self.cells.iter().take(cells).copied().collect(),
            unseen_loaders: self.unseen_loaders.iter().take(cells).copied().collect(),
            lines: self.lines.iter().take(cells).copied().collect(),
            ..*self
        }
    }

    /// Collections that cut it.
    pub(crate) fn collections(&self) -> usize {
        self.collections as usize
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

    /// Bytes allocated in a second while the program works. A pause of the
    /// program makes one part slow and changes nothing here. 0: not known.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes_per_second
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
