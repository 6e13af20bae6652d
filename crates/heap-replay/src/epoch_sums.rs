//! Amounts that are summed up epoch by epoch: allocated bytes, which are the clock of a run, and collections of some kind.

/// Amounts up to the end of each epoch, from the first epoch at hand on.
#[derive(Clone, Debug, Default)]
pub struct EpochSums {
    first: u32,
    /// Up to the end of epoch `first + index`.
    totals: Vec<u64>,
}

impl EpochSums {
    /// The amount of the next epoch. Those that are missing before it had `missing`, all together.
    pub fn add(&mut self, epoch: u32, amount: u64, missing: u64) {
        if self.totals.is_empty() {
            self.first = epoch;
        }
        let gap = (epoch.saturating_sub(self.first) as usize).saturating_sub(self.totals.len());
        if gap > 0 && gap <= MOST_MISSING {
            let total = self.total().saturating_add(missing);
            self.totals.resize(self.totals.len() + gap, total);
        }
        self.totals.push(self.total().saturating_add(amount));
    }

    /// No epoch has ended.
    pub(crate) fn is_at_start(&self) -> bool {
        self.totals.is_empty()
    }

    fn total(&self) -> u64 {
        self.totals.last().copied().unwrap_or(0)
    }

    /// Up to the end of an epoch: nothing before those at hand, everything after them.
    #[inline]
    pub fn until(&self, epoch: u32) -> u64 {
        let Some(index) = epoch.checked_sub(self.first) else {
            return 0;
        };
        let total = self.totals.get(index as usize).copied();
        total.unwrap_or_else(|| self.total())
    }

    /// From the beginning of one epoch to the beginning of another.
    #[inline]
    pub fn between(&self, from: u32, to: u32) -> u64 {
        let before = |epoch: u32| epoch.checked_sub(1).map_or(0, |last| self.until(last));
        before(to).saturating_sub(before(from))
    }

    /// Up to the beginning of an epoch. `None`: it is before the files at hand, or has not begun.
    #[inline]
    pub fn before(&self, epoch: u32) -> Option<u64> {
        let index = epoch.checked_sub(self.first)? as usize;
        match index.checked_sub(1) {
            Some(last) => self.totals.get(last).copied(),
            None => Some(0),
        }
    }

    /// From the beginning of an epoch to the end of the last one. `None`: it is before the files at hand, or has not begun.
    #[inline]
    pub fn since(&self, epoch: u32) -> Option<u64> {
        let before = self.before(epoch)?;
        Some(self.totals.last()?.saturating_sub(before))
    }
}

/// Numbers of epochs come from a file: a jump over more than these is not filled up.
const MOST_MISSING: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_and_until_an_epoch() {
        let mut sums = EpochSums::default();
        assert_eq!((sums.since(0), sums.until(7)), (None, 0));
        sums.add(5, 100, 0);
        let since = [4, 5, 6].map(|epoch| sums.since(epoch));
        assert_eq!(since, [None, Some(100), Some(0)]);
        sums.add(6, 10, 0);
        sums.add(9, 1, 3);
        let since = [5, 6, 8, 9].map(|epoch| sums.since(epoch));
        assert_eq!(since, [Some(114), Some(14), Some(1), Some(1)]);
        let until = [4, 5, 6, 7, 8, 9, 10].map(|epoch| sums.until(epoch));
        assert_eq!(until, [0, 100, 110, 113, 113, 114, 114]);
        assert_eq!(
            (sums.between(5, 6), sums.between(0, 9), sums.between(7, 6)),
            (100, 113, 0)
        );
    }

    #[test]
    fn a_number_from_a_damaged_file_takes_no_memory() {
        let mut sums = EpochSums::default();
        sums.add(0, 1, 0);
        sums.add(u32::MAX, 1, 0);
        assert!(sums.totals.len() < 10);
    }
}
