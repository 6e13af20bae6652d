//! How long a group of objects has not been used.

use ducktrack_analyses::Levels;

/// Objects by the collections since their last use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastUse {
    /// Objects by level, as [`Levels`] counts levels. No zeros at the end.
    pub levels: Vec<u64>,
}

impl LastUse {
    /// The objects with these stalenesses.
    pub fn of(staleness: impl Iterator<Item = u32>) -> Self {
        let mut all = Self::default();
        for staleness in staleness {
            let level = Levels::level_of(staleness);
            if all.levels.len() <= level {
                all.levels.resize(level + 1, 0);
            }
            if let Some(count) = all.levels.get_mut(level) {
                *count += 1;
            }
        }
        all
    }

    /// The objects of summed levels.
    pub fn of_levels(levels: &Levels) -> Self {
        let counts = levels.amounts().iter().map(|amount| amount.count);
        Self {
            levels: counts.collect(),
        }
    }

    /// All objects.
    pub fn objects(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// Objects that have not been used for [`Levels::STALE`] levels or more.
    pub fn stale(&self) -> u64 {
        self.levels.iter().skip(Levels::STALE).sum()
    }

    /// At least half of the objects have not been used for at least this many collections.
    pub fn median(&self) -> Option<u32> {
        let half = self.objects().div_ceil(2);
        let mut above = 0;
        let mut levels = self.levels.iter().enumerate().rev();
        let level = levels.find_map(|(level, count)| {
            above += count;
            (above >= half && half > 0).then_some(level)
        })?;
        Some(Levels::bounds(level).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_objects_are_older_than_the_median() {
        let used = LastUse::of([0, 5, 6, 9, 40].into_iter());
        assert_eq!(used.levels, [1, 0, 0, 2, 1, 0, 1]);
        assert_eq!((used.objects(), used.stale()), (5, 4));
        assert_eq!(used.median(), Some(4));
        assert_eq!(LastUse::of([0, 0, 100].into_iter()).median(), Some(0));
        assert_eq!(LastUse::of([0, 100].into_iter()).median(), Some(64));
        assert_eq!(LastUse::default().median(), None);
    }
}
