//! How long live objects have not been used.

pub(crate) mod analysis;
pub(crate) mod clock;
mod last_uses;
mod tables;

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_live_heap::Amount;

/// Live objects by staleness level, after a collection.
///
/// The *staleness* of an object after a collection is the number of collections between its last use and
/// that collection: 0 if it was used since the collection before. Several collections in one pause are
/// one, and pauses in which G1 collects nothing (Remark, Cleanup) do not count. To be made is to be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Staleness {
    /// After which collection.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970. 0: not known.
    pub unix_micros: u64,
    /// The last collection until then before which every object was looked at: later uses of objects that were not collected are not known.
    pub all_until: CollectionNumber,
    /// From this collection on uses are known; older objects count as used then.
    pub since: CollectionNumber,
    /// All live objects by level.
    pub levels: Levels,
    /// By type, most bytes first.
    pub types: Vec<StaleType>,
    /// By allocation site, most bytes first.
    pub sites: Vec<StaleSite>,
    /// After earlier collections, and this one; at most [`Staleness::MOST_POINTS`].
    pub points: Vec<StalePoint>,
}

impl Staleness {
    /// The most points of a trend; longer runs are thinned out.
    pub const MOST_POINTS: usize = 128;
}

/// Amounts by staleness level: `levels[0]` is staleness 0, `levels[k]` is 2^(k-1) to 2^k - 1. No zeros at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(Vec<Amount>);

impl Levels {
    /// From this level on objects count as stale: not used for 4 collections.
    pub const STALE: usize = 3;

    /// The level of a staleness.
    #[must_use]
    pub fn level_of(staleness: u32) -> usize {
        (u32::BITS - staleness.leading_zeros()) as usize
    }

    /// The stalenesses of a level: from, and to.
    #[must_use]
    pub fn bounds(level: usize) -> (u32, u32) {
        match u32::try_from(level) {
            Ok(0) => (0, 0),
            Ok(level @ 1..32) => (
                1 << (level - 1),
                (1 << (level - 1)) | ((1 << (level - 1)) - 1),
            ),
            _ => (1 << 31, u32::MAX),
        }
    }

    /// The amounts, level by level.
    #[must_use]
    pub fn amounts(&self) -> &[Amount] {
        &self.0
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> Amount {
        self.0.iter().copied().sum()
    }

    /// Those of a level and above.
    #[must_use]
    pub fn from_level(&self, level: usize) -> Amount {
        self.0.iter().skip(level).copied().sum()
    }

    pub(crate) fn add(&mut self, staleness: u32, amount: Amount) {
        if amount.is_zero() {
            return;
        }
        let level = Self::level_of(staleness);
        if self.0.len() <= level {
            self.0.resize(level + 1, Amount::default());
        }
        if let Some(sum) = self.0.get_mut(level) {
            *sum += amount;
        }
    }

    /// Adds all of another.
    pub(crate) fn join(&mut self, other: &Self) {
        for (level, amount) in other.0.iter().enumerate() {
            self.add(Self::bounds(level).0, *amount);
        }
    }
}

/// The live objects of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleType {
    /// Descriptor with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// By level.
    pub levels: Levels,
}

/// The live objects of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleSite {
    /// Row in [`CountModel::sites`](ducktrack_count_model::CountModel::sites). `None`: objects without an event.
    pub site: Option<SiteIndex>,
    /// By level.
    pub levels: Levels,
    /// By caller to blame, most bytes first; empty when no caller is known.
    pub callers: Vec<StaleCaller>,
    /// Their types, most bytes first.
    pub types: Vec<StaleType>,
}

/// The live objects of one site that one caller is to blame for.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleCaller {
    /// Row in [`CountModel::calls`](ducktrack_count_model::CountModel::calls). `None`: not known.
    pub call: Option<CallIndex>,
    /// By level.
    pub levels: Levels,
}

/// All live objects after one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StalePoint {
    /// Its number.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
    /// By level.
    pub levels: Levels,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_powers_of_two() {
        let levels: Vec<usize> = [0, 1, 2, 3, 4, 7, 8, u32::MAX].map(Levels::level_of).into();
        assert_eq!(levels, [0, 1, 2, 2, 3, 3, 4, 32]);
        for level in 0..33 {
            let (from, to) = Levels::bounds(level);
            assert_eq!(Levels::level_of(from), level);
            assert_eq!(Levels::level_of(to), level);
            if level > 0 {
                assert_eq!(Levels::bounds(level - 1).1 + 1, from);
            }
        }
    }

    #[test]
    fn amounts_are_summed_by_level() {
        let mut levels = Levels::default();
        levels.add(2, Amount::one(16));
        levels.add(3, Amount::one(24));
        levels.add(0, Amount::one(8));
        assert_eq!(levels.amounts().len(), 3);
        assert_eq!(levels.total().bytes, 48);
        assert_eq!(levels.from_level(1).count, 2);
    }
}
