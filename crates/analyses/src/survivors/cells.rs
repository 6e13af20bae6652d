//! The clock, cut into cells while it runs: each is one epoch or several, and when there are too many, every two neighbours become one.

use ducktrack_leaks::Cell;

/// The most cells; from half as many on they are about equally long.
pub(crate) const MOST: usize = 32;
/// Epoch numbers come from a file: a jump over more than these is not followed.
const MOST_MISSING: usize = 1 << 16;

/// Cells of the span so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) cells: Vec<Cell>,
    /// When each ended, microseconds since 1970.
    pub(crate) ends: Vec<u64>,
    /// A cell of at least these bytes is full.
    width: u64,
    first_epoch: Option<u32>,
    /// By epoch from the first one on.
    of_epoch: Vec<u8>,
}

impl Cells {
    /// The next epoch. True: every two neighbouring cells have become one.
    pub(crate) fn tick(&mut self, epoch: u32, cell: Cell, end: u64) -> bool {
        let first = *self.first_epoch.get_or_insert(epoch);
        let is_full = self
            .cells
            .last()
            .is_none_or(|last| last.bytes > 0 && last.bytes >= self.width);
        let folds = is_full && self.cells.len() == MOST;
        if folds {
            self.fold();
        }
        if is_full {
            self.cells.push(cell);
            self.ends.push(end);
        } else if let (Some(last), Some(at)) = (self.cells.last_mut(), self.ends.last_mut()) {
            last.bytes = last.bytes.saturating_add(cell.bytes);
            last.micros = last.micros.saturating_add(cell.micros);
            *at = end;
        }
        let number = self.cells.len().saturating_sub(1) as u8;
        let place = epoch.saturating_sub(first) as usize;
        if place <= self.of_epoch.len() + MOST_MISSING {
            self.of_epoch.resize(place, number);
            self.of_epoch.push(number);
        }
        folds
    }

    /// Bytes of the cell under way.
    pub(crate) fn allocated(&mut self, bytes: u64) {
        if let Some(last) = self.cells.last_mut() {
            last.bytes = last.bytes.saturating_add(bytes);
        }
    }

    fn fold(&mut self) {
        let pairs = self.cells.chunks(2);
        let sum = |pair: &[Cell]| {
            pair.iter().fold(Cell::default(), |sum, cell| Cell {
                bytes: sum.bytes.saturating_add(cell.bytes),
                micros: sum.micros.saturating_add(cell.micros),
            })
        };
        self.cells = pairs.map(sum).collect();
        let last = |pair: &[u64]| pair.last().copied().unwrap_or_default();
        self.ends = self.ends.chunks(2).map(last).collect();
        self.of_epoch.iter_mut().for_each(|cell| *cell /= 2);
        let all = self
            .cells
            .iter()
            .fold(0_u64, |sum, cell| sum.saturating_add(cell.bytes));
        self.width = all / self.cells.len().max(1) as u64;
    }

    /// The cell of a birth. `None`: it was before the span.
    pub(crate) fn of(&self, epoch: u32) -> Option<usize> {
        let place = epoch.checked_sub(self.first_epoch?)? as usize;
        self.of_epoch.get(place).map(|cell| usize::from(*cell))
    }

    /// The cell under way.
    pub(crate) fn last(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_few_cells() {
        let mut cells = Cells::default();
        for epoch in 7..5_000 {
            cells.tick(
                epoch,
                Cell {
                    bytes: 100,
                    micros: 3,
                },
                u64::from(epoch),
            );
        }
        assert!(cells.cells.len() <= MOST && cells.cells.len() > MOST / 2);
        let bytes: u64 = cells.cells.iter().map(|cell| cell.bytes).sum();
        assert_eq!(bytes, 4_993 * 100);
        assert_eq!(
            (cells.of(6), cells.of(7), cells.of(4_999)),
            (None, Some(0), Some(cells.last()))
        );
        assert_eq!(cells.of(5_000), None);
        assert_eq!(cells.ends.last(), Some(&4_999));
        // The cells are of about the same length.
        let most = cells.cells.iter().map(|cell| cell.bytes).max();
        assert!(most < Some(40_000), "{most:?}");
        // Epochs in which nothing is allocated are in the cell before.
        let (last, count) = (cells.last(), cells.cells.len());
        let mut full = cells.clone();
        full.tick(
            5_000,
            Cell {
                bytes: 0,
                micros: 9,
            },
            9_999,
        );
        assert!(full.cells.len() - count <= 1 && full.of(5_000) >= Some(last));
    }

    #[test]
    fn a_number_from_a_damaged_file_takes_no_memory() {
        let mut cells = Cells::default();
        cells.tick(0, Cell::default(), 0);
        cells.tick(u32::MAX, Cell::default(), 0);
        assert!(cells.of_epoch.len() < 10);
    }
}
