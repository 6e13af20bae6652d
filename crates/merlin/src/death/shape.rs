//! Figures about references that papers on collectors use.
//!
//! - *Pointer distance*: the bytes that were allocated between the births of source and target, and which is older (DaCapo,
//!   Blackburn et al., OOPSLA 2006).
//! - *Key objects*: objects that die by themselves; the others die with an object that refers to them (Hayes, OOPSLA 1991;
//!   connectivity: Hirzel, Diwan, Hertz, OOPSLA 2003).

use crate::death::clock::Instant;

/// Numbers by size: entry 0 has zeros, entry b has 2^(b-1) to 2^b - 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log2Histogram {
    counts: [u64; 65],
}

impl Default for Log2Histogram {
    fn default() -> Self {
        Self { counts: [0; 65] }
    }
}

impl Log2Histogram {
    #[inline]
    pub(crate) fn add(&mut self, value: u64) {
        let entry = (u64::BITS - value.leading_zeros()) as usize;
        if let Some(count) = self.counts.get_mut(entry) {
            *count += 1;
        }
    }

    /// The entries, without zeros at the end.
    #[must_use]
    pub fn entries(&self) -> &[u64] {
        let used = self.counts.iter().rposition(|count| *count > 0);
        self.counts
            .get(..used.map_or(0, |at| at + 1))
            .unwrap_or(&[])
    }

    /// All numbers.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Distances of references between objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerDistances {
    /// From younger to older objects, by bytes between their births.
    pub to_older: Log2Histogram,
    /// From older to younger objects.
    pub to_younger: Log2Histogram,
    /// From an object to itself.
    pub to_itself: u64,
    /// From global variables.
    pub from_globals: u64,
    /// Nothing was stored: the reference became empty. Only for stores.
    pub emptied: u64,
}

impl PointerDistances {
    #[inline]
    pub(crate) fn add(&mut self, source: Instant, target: Instant) {
        let distance = source.bytes.abs_diff(target.bytes);
        if source.time > target.time {
            self.to_older.add(distance);
        } else if source.time < target.time {
            self.to_younger.add(distance);
        } else {
            self.to_itself += 1;
        }
    }
}

/// Objects that died together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeathGroups {
    /// Groups by their number of objects; each has one key object.
    pub sizes: Log2Histogram,
    /// The most objects of one.
    pub largest: u64,
    /// Dead objects to which nothing referred when they died.
    pub unreferenced: u64,
    /// Dead objects by references to them when they died.
    pub referrers: Log2Histogram,
    /// Dead objects by references that they held.
    pub references: Log2Histogram,
}

/// All figures about references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapShape {
    /// Of the references that were stored.
    pub stores: PointerDistances,
    /// Of the references that dead objects held at last.
    pub at_death: PointerDistances,
    /// Who died with whom.
    pub groups: DeathGroups,
}
