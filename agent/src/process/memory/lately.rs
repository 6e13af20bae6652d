//! The memory in use in each of the last seconds.

/// Number of seconds that count as recent.
const SECONDS: usize = 10;

/// Maximum and minimum of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Second {
    pub(crate) most: usize,
    pub(crate) least: usize,
}

/// Maxima of the last seconds.
pub(crate) struct RecentUse {
    now: Second,
    /// Maximum of each earlier second, in a ring.
    before: [usize; SECONDS],
    next: usize,
}

impl RecentUse {
    pub(crate) const fn new() -> Self {
        Self {
            now: Second { most: 0, least: 0 },
            before: [0; SECONDS],
            next: 0,
        }
    }

    /// Records the bytes in use.
    pub(crate) fn note(&mut self, in_use: usize) {
        self.now.most = self.now.most.max(in_use);
        self.now.least = self.now.least.min(in_use);
    }

    /// The maximum over all these seconds.
    pub(crate) fn most(&self) -> usize {
        self.before.iter().copied().fold(self.now.most, usize::max)
    }

    /// Ends a second; returns its figures.
    pub(crate) fn end_second(&mut self, in_use: usize) -> Second {
        let second = self.now;
        if let Some(place) = self.before.get_mut(self.next) {
            *place = second.most;
        }
        self.next = (self.next + 1) % SECONDS;
        self.now = Second {
            most: in_use,
            least: in_use,
        };
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_forgotten_after_the_last_of_the_seconds() {
        let mut lately = RecentUse::new();
        for in_use in [5, 90, 20] {
            lately.note(in_use);
        }
        assert_eq!(lately.end_second(20), Second { most: 90, least: 0 });
        lately.note(30);
        lately.note(10);
        assert_eq!(
            lately.end_second(12),
            Second {
                most: 30,
                least: 10
            }
        );
        for _ in 0..SECONDS - 2 {
            lately.end_second(12);
        }
        assert_eq!(lately.most(), 90);
        lately.end_second(12);
        assert_eq!(lately.most(), 30);
    }
}
