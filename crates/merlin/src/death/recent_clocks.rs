//! The clocks of bytes and calls at each of the latest moments, exactly. Older moments are computed from marks that are further apart.

use std::collections::VecDeque;

use crate::stream::record::Time;

/// Moments that are kept; 64 MB.
const MOST: usize = 1 << 22;

/// Readings of moments without a gap.
#[derive(Debug, Default)]
pub(crate) struct RecentClocks {
    /// The moment of the first reading.
    first: Time,
    readings: VecDeque<(u64, u64)>,
}

impl RecentClocks {
    /// The next moment: bytes and calls at it.
    #[inline]
    pub(crate) fn push(&mut self, time: Time, reading: (u64, u64)) {
        if time != self.first + self.readings.len() as u64 {
            // Moments without known clocks have passed.
            self.readings.clear();
            self.first = time;
        }
        if self.readings.len() == MOST {
            self.readings.pop_front();
            self.first += 1;
        }
        self.readings.push_back(reading);
    }

    /// Bytes and calls at a moment, if it is one of the latest.
    #[inline]
    pub(crate) fn at(&self, time: Time) -> Option<(u64, u64)> {
        let place = usize::try_from(time.checked_sub(self.first)?).ok()?;
        self.readings.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_moments_are_known() {
        let mut recent = RecentClocks::default();
        for time in 1..=(MOST as u64 + 10) {
            recent.push(time, (time * 16, time));
        }
        assert_eq!(recent.at(10), None);
        assert_eq!(recent.at(11), Some((176, 11)));
        let last = MOST as u64 + 10;
        assert_eq!(recent.at(last), Some((last * 16, last)));
        recent.push(last + 10, (1, 2));
        assert_eq!(recent.at(last), None);
        assert_eq!(recent.at(last + 10), Some((1, 2)));
        assert_eq!(recent.at(last + 11), None);
    }
}
