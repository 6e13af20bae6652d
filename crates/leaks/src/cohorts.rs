//! Cohorts: the judged span cut into pieces of about equal length on the clock.

use core::ops::Range;

use crate::clock::Clock;

/// The most cohorts. From 16 on the t-distribution is within a tenth of the normal one, so that more would
/// say little more; and a start-up that takes up to a sixteenth of the run is one cohort, which is left out.
pub const COHORTS: usize = 16;

/// Cells of one cohort each; none is empty on the clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cohorts {
    pub(crate) cells: Vec<Range<usize>>,
    /// Bytes allocated in each.
    pub(crate) lengths: Vec<f64>,
}

impl Cohorts {
    /// Neighbouring cells become one cohort until it has its part of the clock.
    pub(crate) fn of(clock: &Clock) -> Self {
        let unit = clock.bytes() as f64 / COHORTS as f64;
        let (mut cells, mut lengths): (Vec<Range<usize>>, Vec<f64>) = (Vec::new(), Vec::new());
        let (mut from, mut passed, mut start, mut reached) = (0, 0.0, 0.0, 0.0);
        for (at, cell) in clock.cells().iter().enumerate() {
            passed += cell.bytes as f64;
            // Half a cell too early is as good as half a cell too late.
            let here = ((passed + next_bytes(clock, at) / 2.0) / unit).floor();
            if here > reached && passed - start >= unit / 2.0 && passed > start {
                cells.push(from..at + 1);
                lengths.push(passed - start);
                (from, start, reached) = (at + 1, passed, here);
            }
        }
        let rest = passed - start;
        if let (Some(last), Some(length)) = (cells.last_mut(), lengths.last_mut()) {
            // What is left is no cohort of its own, unless it is long enough.
            if rest < unit / 2.0 {
                last.end = clock.cells().len();
                *length += rest;
                return Self { cells, lengths };
            }
        }
        if rest > 0.0 {
            cells.push(from..clock.cells().len());
            lengths.push(rest);
        }
        Self { cells, lengths }
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Sums of the cells' values.
    pub(crate) fn sums<T: Copy + core::iter::Sum>(&self, of_cells: &[T]) -> Vec<T> {
        let sum = |cells: &Range<usize>| {
            let end = cells.end.min(of_cells.len());
            let values = of_cells.get(cells.start.min(end)..end);
            values.unwrap_or_default().iter().copied().sum()
        };
        self.cells.iter().map(sum).collect()
    }

    /// The cohort of a cell.
    pub(crate) fn of_cell(&self, cell: usize) -> usize {
        self.cells.partition_point(|cells| cells.end <= cell)
    }
}

fn next_bytes(clock: &Clock, at: usize) -> f64 {
    let next = clock.cells().get(at + 1);
    next.map_or(0.0, |cell| cell.bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    fn clock(bytes: impl IntoIterator<Item = u64>) -> Clock {
        let cell = |bytes| Cell { bytes, micros: 1 };
        Clock::new(bytes.into_iter().map(cell).collect())
    }

    #[test]
    fn cohorts_have_equal_parts_of_the_clock() {
        let cohorts = Cohorts::of(&clock([10; 64]));
        assert_eq!(cohorts.len(), 16);
        assert_eq!(cohorts.lengths, [40.0; 16]);
        assert_eq!(cohorts.sums(&[1_u64; 64]), [4; 16]);
        assert_eq!((cohorts.of_cell(3), cohorts.of_cell(4)), (0, 1));
        // Each cell is one, where there are few.
        assert_eq!(Cohorts::of(&clock([7; 5])).len(), 5);
        assert_eq!(Cohorts::of(&clock([])).len(), 0);
    }

    #[test]
    fn a_thrash_is_no_time() {
        // Forty collections between which nothing is allocated.
        let cells = [100; 16].into_iter().chain([0; 40]);
        let cohorts = Cohorts::of(&clock(cells));
        assert_eq!(cohorts.len(), 16);
        assert_eq!(cohorts.cells.last(), Some(&(15..56)));
        // Four collections, and then a thrash with hardly anything between its collections.
        let cells = [
            12_658_080, 13_463_528, 13_423_128, 9_071_864, 21_336, 1_016, 1_600, 128, 1_576,
        ];
        let cohorts = Cohorts::of(&clock(cells));
        assert_eq!((cohorts.len(), cohorts.cells.last()), (4, Some(&(3..9))));
    }
}
