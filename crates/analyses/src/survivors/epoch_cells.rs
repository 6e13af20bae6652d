//! The cells of the clock that an epoch takes part in: for objects of
//! which only the epoch of their birth is known, as in a joined heap dump.

use core::ops::Range;

/// By epoch, its cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpochCells {
    first_epoch: u32,
    /// The first and the last cell of each.
    of_epoch: Vec<(u8, u8)>,
}

impl EpochCells {
    pub(crate) fn new(first_epoch: u32, of_epoch: Vec<(u8, u8)>) -> Self {
        Self {
            first_epoch,
            of_epoch,
        }
    }

    /// The cells of an epoch: none if it comes before the span; `None` if it comes after it.
    pub fn of(&self, epoch: u32) -> Option<Range<usize>> {
        let Some(place) = epoch.checked_sub(self.first_epoch) else {
            return Some(0..0);
        };
        let (first, last) = self.of_epoch.get(place as usize)?;
        Some(usize::from(*first)..usize::from(*last) + 1)
    }
}
