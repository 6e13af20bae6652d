//! Time in bytes: how much the program had allocated at the end of each epoch.

/// Allocated bytes up to the end of each epoch, from the first epoch at hand on.
#[derive(Clone, Debug, Default)]
pub struct AllocationClock {
    first_epoch: u32,
    /// Up to the end of epoch `first_epoch + index`.
    totals: Vec<u64>,
}

impl AllocationClock {
    /// The bytes of the next epoch; `epoch` says which it is if it is the first.
    pub fn tick(&mut self, epoch: u32, bytes: u64) {
        if self.totals.is_empty() {
            self.first_epoch = epoch;
        }
        let before = self.totals.last().copied().unwrap_or(0);
        // Epochs that are missing allocated nothing that is known.
        let missing =
            (epoch.saturating_sub(self.first_epoch) as usize).saturating_sub(self.totals.len());
        if missing <= MOST_MISSING {
            self.totals.resize(self.totals.len() + missing, before);
        }
        self.totals.push(before.saturating_add(bytes));
    }

    /// No epoch has ended.
    pub(crate) fn is_at_start(&self) -> bool {
        self.totals.is_empty()
    }

    /// Bytes allocated before an epoch began. `None`: it is before the files at hand, or has not begun.
    #[inline]
    pub fn before(&self, epoch: u32) -> Option<u64> {
        let index = epoch.checked_sub(self.first_epoch)? as usize;
        match index.checked_sub(1) {
            Some(last) => self.totals.get(last).copied(),
            None => Some(0),
        }
    }

    /// Bytes allocated from the collection before `birth` to the end of the last epoch. `None`: the birth is before the files at hand.
    #[inline]
    pub fn since(&self, birth: u32) -> Option<u64> {
        let before = self.before(birth)?;
        Some(self.totals.last()?.saturating_sub(before))
    }
}

/// Numbers of epochs come from a file: a jump over more than these is not filled up.
const MOST_MISSING: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_since_a_birth() {
        let mut clock = AllocationClock::default();
        assert_eq!(clock.since(0), None);
        clock.tick(5, 100);
        assert_eq!(
            (clock.since(5), clock.since(4), clock.since(6)),
            (Some(100), None, Some(0))
        );
        clock.tick(6, 10);
        clock.tick(9, 1);
        assert_eq!(
            (
                clock.since(5),
                clock.since(6),
                clock.since(8),
                clock.since(9)
            ),
            (Some(111), Some(11), Some(1), Some(1))
        );
    }

    #[test]
    fn a_number_from_a_damaged_file_takes_no_memory() {
        let mut clock = AllocationClock::default();
        clock.tick(0, 1);
        clock.tick(u32::MAX, 1);
        assert!(clock.totals.len() < 10);
    }
}
