//! How many collections ended at which capacity, from the number of their arrays and its bytes.
//!
//! A collection that grows makes arrays of a fixed sequence of sizes. If `n` collections made `c` arrays, the bytes
//! are least where all stop as early as the sum allows: each at the `c / n`th array, the remaining `c % n` at the
//! next. Sizes rise, so only that makes just these bytes: where the counted bytes are the least, it is what happened.
//!
//! ```text
//! ArrayList, 3 collections, 7 arrays    10 15 22 | 10 15 | 10 15     2 ended at 15, 1 at 22
//! ```

use ducktrack_count_model::Tally;

/// Sizes of an array of some capacity, as the VM lays it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArraySize {
    /// Offset of the first element.
    pub(crate) base: i64,
    /// Bytes of an element.
    pub(crate) element: i64,
    /// Objects start at multiples of this.
    pub(crate) alignment: i64,
}

impl ArraySize {
    pub(crate) fn of(self, capacity: i64) -> i64 {
        let bytes = capacity
            .saturating_mul(self.element)
            .saturating_add(self.base);
        let alignment = self.alignment.max(1);
        (bytes.saturating_add(alignment - 1) / alignment).saturating_mul(alignment)
    }
}

/// The arrays of collections that grow one element at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence {
    /// The capacity of the first counted array.
    pub(crate) first: i64,
    /// The capacity after this one.
    pub(crate) next: fn(i64) -> i64,
    pub(crate) size: ArraySize,
}

/// Collections that ended at two neighbouring capacities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// How many ended at the smaller one; the position of its array in the sequence, from 1; 0: they made no array of it.
    pub(crate) small: i64,
    pub(crate) small_at: i64,
    /// How many ended at the next capacity.
    pub(crate) large: i64,
}

/// No collection of a program grows more often.
const MOST_STEPS: i64 = 60;

impl Sequence {
    /// The capacity of the array at a position, from 1.
    fn capacity(&self, at: i64) -> i64 {
        (1..at).fold(self.first, |capacity, _| (self.next)(capacity))
    }

    /// The capacity and the bytes of the array at a position, from 1.
    pub(crate) fn array(&self, at: i64) -> (i64, i64) {
        let capacity = self.capacity(at);
        (capacity, self.size.of(capacity))
    }

    /// How `collections` ended that made these arrays, by objects alone; and the bytes that they then have.
    pub(crate) fn ended(&self, collections: i64, arrays: i64) -> Option<(Ended, i64)> {
        if collections <= 0 || arrays <= 0 || arrays / collections > MOST_STEPS {
            return None;
        }
        let small_at = arrays / collections;
        let large = arrays % collections;
        let whole = (1..=small_at).map(|at| self.array(at).1);
        let bytes = whole
            .fold(0, i64::saturating_add)
            .saturating_mul(collections);
        let bytes = match large {
            0 => bytes,
            some => bytes.saturating_add(some.saturating_mul(self.array(small_at + 1).1)),
        };
        let ended = Ended {
            small: collections - large,
            small_at,
            large,
        };
        Some((ended, bytes))
    }
}

/// An initial capacity and its saving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Presized {
    /// The capacity.
    pub(crate) capacity: i64,
    /// Saved arrays.
    pub(crate) saving: Tally,
    /// Bytes of elements that are not used, more than today.
    pub(crate) waste: i64,
}

/// The best of both capacities. `arrays` are the counted ones; `first` is the size
/// of an array that each collection has before them, if they do not include it.
pub(crate) fn presized(
    sequence: &Sequence,
    ended: Ended,
    arrays: Tally,
    first: Option<i64>,
) -> Option<Presized> {
    let collections = ended.small + ended.large;
    let before = Tally {
        count: arrays.count + first.map_or(0, |_| collections),
        bytes: arrays.bytes + first.unwrap_or(0).saturating_mul(collections),
    };
    let with = |at: i64| {
        let (capacity, bytes) = sequence.array(at);
        let outgrow = match at == ended.small_at {
            true => ended.large,
            false => 0,
        };
        let larger = sequence.array(at + 1).1;
        let after = Tally {
            count: collections + outgrow,
            bytes: collections
                .saturating_mul(bytes)
                .saturating_add(outgrow.saturating_mul(larger)),
        };
        let today = match ended.small_at {
            0 => first.unwrap_or(0),
            at => sequence.array(at).1,
        };
        let unused = match at == ended.small_at {
            true => 0,
            false => (bytes - today).saturating_mul(ended.small),
        };
        Presized {
            capacity,
            saving: Tally {
                count: before.count - after.count,
                bytes: before.bytes - after.bytes,
            },
            waste: unused,
        }
    };
    let small = (ended.small_at > 0).then(|| with(ended.small_at));
    let large = (ended.large > 0).then(|| with(ended.small_at + 1));
    small
        .into_iter()
        .chain(large)
        .max_by_key(|one| (one.saving.bytes, one.saving.count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTS: ArraySize = ArraySize {
        base: 16,
        element: 4,
        alignment: 8,
    };

    fn list() -> Sequence {
        Sequence {
            first: 15,
            next: |capacity| capacity + (capacity >> 1),
            size: OBJECTS,
        }
    }

    #[test]
    fn lists_of_forty_elements() {
        // 15, 22, 33, 49 behind the first 10: 80, 104, 152, 216 bytes.
        let arrays = Tally {
            count: 80,
            bytes: 20 * (80 + 104 + 152 + 216),
        };
        let (ended, bytes) = list().ended(20, 80).expect("lists");
        assert_eq!((ended.small, ended.small_at, ended.large), (20, 4, 0));
        assert_eq!(bytes, arrays.bytes);
        let best = presized(&list(), ended, arrays, Some(56)).expect("a capacity");
        assert_eq!((best.capacity, best.waste), (49, 0));
        // Before: 56 + 80 + 104 + 152 + 216; after: 216.
        let saving = Tally {
            count: 80,
            bytes: 20 * (56 + 80 + 104 + 152),
        };
        assert_eq!(best.saving, saving);
    }

    #[test]
    fn the_best_capacity_of_two_kinds_of_lists() {
        // 10 lists end at 15, 90 at 22: all with 22.
        let (ended, bytes) = list().ended(100, 190).expect("lists");
        assert_eq!((ended.small, ended.small_at, ended.large), (10, 1, 90));
        let arrays = Tally { count: 190, bytes };
        let best = presized(&list(), ended, arrays, Some(56)).expect("a capacity");
        assert_eq!(best.capacity, 22);
        assert_eq!(best.waste, 10 * (104 - 80));
        assert_eq!(best.saving.count, 190);
        assert_eq!(best.saving.bytes, 100 * (56 + 80) + 90 * 104 - 100 * 104);
        // 90 at 15, 10 at 22: all with 15, of which 10 grow.
        let (ended, bytes) = list().ended(100, 110).expect("lists");
        let arrays = Tally { count: 110, bytes };
        let best = presized(&list(), ended, arrays, Some(56)).expect("a capacity");
        assert_eq!((best.capacity, best.waste), (15, 0));
        assert_eq!(best.saving.count, 100);
    }

    proptest::proptest! {
        /// Any other ends of as many collections with as many arrays have more bytes.
        #[test]
        fn only_these_ends_have_the_least_bytes(steps in proptest::collection::vec(0_i64..9, 1..12)) {
            let arrays: i64 = steps.iter().sum();
            let bytes: i64 = steps.iter().flat_map(|steps| 1..=*steps).map(|at| list().array(at).1).sum();
            let collections = i64::try_from(steps.len()).expect("few");
            proptest::prop_assume!(arrays > 0);
            let (ended, least) = list().ended(collections, arrays).expect("collections");
            let of = |wanted: i64| i64::try_from(steps.iter().filter(|steps| **steps == wanted).count()).expect("few");
            let are_these = of(ended.small_at) == ended.small && of(ended.small_at + 1) == ended.large;
            proptest::prop_assert_eq!(bytes == least, are_these);
            proptest::prop_assert!(bytes >= least);
        }
    }
}
