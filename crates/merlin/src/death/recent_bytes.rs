//! The clock of bytes at each of the latest moments, exactly. What is older is told from marks that are further apart.

use std::collections::VecDeque;

use crate::stream::record::Time;

/// How many moments: 32 MB.
const MOST: usize = 1 << 22;

/// Moments without a gap, up to the present.
#[derive(Debug, Default)]
pub(crate) struct RecentBytes {
    /// The moment of the first.
    first: Time,
    bytes: VecDeque<u64>,
}

impl RecentBytes {
    /// The clock at the moment that has just begun.
    #[inline]
    pub(crate) fn push(&mut self, time: Time, bytes: u64) {
        if time != self.first + self.bytes.len() as u64 {
            // Moments have passed of which nothing is known.
            self.bytes.clear();
            self.first = time;
        }
        if self.bytes.len() == MOST {
            self.bytes.pop_front();
            self.first += 1;
        }
        self.bytes.push_back(bytes);
    }

    /// The clock at the end of this moment; `None`: that is too long ago, or was never told.
    pub(crate) fn at(&self, time: Time) -> Option<u64> {
        let place = usize::try_from(time.checked_sub(self.first)?).ok()?;
        self.bytes.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_moments_are_known() {
        let mut recent = RecentBytes::default();
        for time in 1..=(MOST as u64 + 10) {
            recent.push(time, time * 16);
        }
        assert_eq!(recent.at(10), None);
        assert_eq!(recent.at(11), Some(176));
        assert_eq!(recent.at(MOST as u64 + 10), Some((MOST as u64 + 10) * 16));
        recent.push(MOST as u64 + 20, 1);
        assert_eq!(recent.at(MOST as u64 + 10), None);
        assert_eq!(recent.at(MOST as u64 + 20), Some(1));
        assert_eq!(recent.at(MOST as u64 + 21), None);
    }
}
