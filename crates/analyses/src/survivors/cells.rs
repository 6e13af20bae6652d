//! The clock, cut into cells while it runs: each is a slice of an epoch or
//! several, and when there are too many, every two neighbours become one.

use ducktrack_leaks::{Cell, Speeds};

use super::EpochCells;

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
    /// By epoch from the first one on. Those without slices of their own have those of the next one.
    epochs: Vec<EpochStart>,
    /// The cell of each slice.
    of_slice: Vec<u8>,
    /// Of the slices.
    pub(crate) speeds: Speeds,
}

/// The slices of an epoch.
#[derive(Clone, Copy, Debug)]
struct EpochStart {
    first: usize,
    /// Of its slices: those before the span.
    skipped: usize,
}

/// When something was born.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Before,
    Cell(usize),
    After,
}

impl Place {
    pub(crate) fn cell(self) -> Option<usize> {
        match self {
            Self::Cell(cell) => Some(cell),
            Self::Before | Self::After => None,
        }
    }
}

impl Cells {
    /// An epoch begins; its first `skipped` slices come before the span. The caller adds the others with [`Cells::push`].
    pub(crate) fn begin(&mut self, epoch: u32, skipped: usize) {
        let first = *self.first_epoch.get_or_insert(epoch);
        let place = epoch.saturating_sub(first) as usize;
        if (self.epochs.len()..=self.epochs.len() + MOST_MISSING).contains(&place) {
            let start = EpochStart {
                first: self.of_slice.len(),
                skipped,
            };
            self.epochs.resize(place, start);
            self.epochs.push(start);
        }
    }

    /// An epoch without slices begins: some of its objects are taken now, and count
    /// with what came before; the others come again with the next epoch, in its slices.
    pub(crate) fn begin_deferred(&mut self, epoch: u32) {
        self.begin(epoch, 0);
        if self.of_slice.is_empty() {
            // The next slice becomes a part of this cell.
            self.push(Cell::default(), 0);
        }
        let before = self.of_slice.len().saturating_sub(1);
        if let Some(start) = self.epochs.last_mut() {
            start.first = before;
        }
    }

    /// The next slice of the epoch. True: every two neighbouring cells have become one.
    pub(crate) fn push(&mut self, cell: Cell, end: u64) -> bool {
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
            *last += cell;
            *at = end;
        }
        self.of_slice.push(self.last() as u8);
        self.speeds.add(cell);
        folds
    }

    fn fold(&mut self) {
        let pairs = self.cells.chunks(2);
        let sum = |cells: &[Cell]| cells.iter().copied().sum::<Cell>();
        self.cells = pairs.map(sum).collect();
        let last = |pair: &[u64]| pair.last().copied().unwrap_or_default();
        self.ends = self.ends.chunks(2).map(last).collect();
        self.of_slice.iter_mut().for_each(|cell| *cell /= 2);
        self.width = sum(&self.cells).bytes / self.cells.len().max(1) as u64;
    }

    /// The cell of a birth in a slice of an epoch.
    pub(crate) fn of(&self, epoch: u32, slice: usize) -> Place {
        let place = self.first_epoch.and_then(|first| epoch.checked_sub(first));
        let Some(place) = place else {
            return Place::Before;
        };
        let Some(start) = self.epochs.get(place as usize) else {
            return Place::After;
        };
        match slice.checked_sub(start.skipped) {
            None => Place::Before,
            Some(slice) => {
                let cell = self.of_slice.get(start.first + slice);
                cell.map_or(Place::After, |cell| Place::Cell(usize::from(*cell)))
            }
        }
    }

    /// The cells of each epoch's slices.
    pub(crate) fn of_epochs(&self) -> EpochCells {
        let ends = self.epochs.iter().skip(1).map(|next| next.first);
        let ends = ends.chain([self.of_slice.len()]);
        let cell = |slice: usize| self.of_slice.get(slice).copied().unwrap_or(u8::MAX);
        let ranges = self.epochs.iter().zip(ends).map(|(start, end)| {
            let last = end.max(start.first + 1) - 1;
            (cell(start.first), cell(last))
        });
        EpochCells::new(self.first_epoch.unwrap_or(0), ranges.collect())
    }

    /// The cell under way.
    pub(crate) fn last(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(cells: &mut Cells, epoch: u32, bytes: u64) {
        cells.begin(epoch, 0);
        cells.push(Cell { bytes, micros: 3 }, u64::from(epoch));
    }

    #[test]
    fn a_long_run_has_few_cells() {
        let mut cells = Cells::default();
        (7..5_000).for_each(|epoch| tick(&mut cells, epoch, 100));
        assert!(cells.cells.len() <= MOST && cells.cells.len() > MOST / 2);
        let bytes: u64 = cells.cells.iter().map(|cell| cell.bytes).sum();
        assert_eq!(bytes, 4_993 * 100);
        let last = Place::Cell(cells.last());
        let found = [6, 7, 4_999, 5_000].map(|epoch| cells.of(epoch, 0));
        assert_eq!(found, [Place::Before, Place::Cell(0), last, Place::After]);
        let ranges = cells.of_epochs();
        let ranges = [6, 7, 4_999, 5_000].map(|epoch| ranges.of(epoch));
        let end = cells.last();
        assert_eq!(ranges, [Some(0..0), Some(0..1), Some(end..end + 1), None]);
        assert_eq!(cells.ends.last(), Some(&4_999));
        // The cells are of about the same length.
        let most = cells.cells.iter().map(|cell| cell.bytes).max();
        assert!(most < Some(40_000), "{most:?}");
        // Epochs in which nothing is allocated are in the cell before.
        let (last, count) = (cells.last(), cells.cells.len());
        let mut full = cells.clone();
        tick(&mut full, 5_000, 0);
        assert!(full.cells.len() - count <= 1 && full.of(5_000, 0).cell() >= Some(last));
    }

    #[test]
    fn one_epoch_has_cells_of_its_own() {
        let mut cells = Cells::default();
        cells.begin(4, 2);
        for slice in 2..20 {
            cells.push(
                Cell {
                    bytes: 10,
                    micros: 1,
                },
                slice,
            );
        }
        let found = [1, 2, 3, 19, 20].map(|slice| cells.of(4, slice));
        let cell = Place::Cell;
        assert_eq!(
            found,
            [Place::Before, cell(0), cell(1), cell(17), Place::After]
        );
        assert_eq!(cells.cells.len(), 18);
        assert_eq!(cells.of_epochs().of(4), Some(0..18));
    }

    #[test]
    fn what_is_deferred_stays_where_it_was_put() {
        let mut cells = Cells::default();
        cells.begin_deferred(0);
        assert_eq!(cells.of(0, 0), Place::Cell(0));
        tick(&mut cells, 1, 10);
        cells.begin_deferred(2);
        assert_eq!(
            (cells.of(0, 0), cells.of(2, 0)),
            (Place::Cell(0), Place::Cell(0))
        );
        tick(&mut cells, 3, 10);
        assert_eq!(
            (cells.of(1, 0), cells.of(2, 0)),
            (Place::Cell(0), Place::Cell(0))
        );
        // Objects that were taken with the next epoch.
        assert_eq!(
            (cells.of(2, 1), cells.of(3, 0)),
            (Place::Cell(1), Place::Cell(1))
        );
        assert_eq!(cells.cells.len(), 2);
    }

    #[test]
    fn a_number_from_a_damaged_file_takes_no_memory() {
        let mut cells = Cells::default();
        tick(&mut cells, 0, 0);
        tick(&mut cells, u32::MAX, 0);
        assert!(cells.epochs.len() < 10);
    }
}
