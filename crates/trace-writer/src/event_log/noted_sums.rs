//! Sums of the noted events of one piece: events that state their caller, their class, or both.
//!
//! A few combinations come again and again, so the sums are in a table indexed by a hash of the combination. A new
//! combination takes the place of another with the same hash, and the other's sum is handed out.

use ducktrack_heap_mirror::KeptSite;
use ducktrack_trace_format::UNIT;

use super::tally::{EqualEvents, EventSum};

const PLACES: usize = 256;

/// The combination in two numbers, quick to compare: `klass` if it is stated; and the site (20 bits in a word), the caller plus 1 if it is
/// stated, and whether `klass` is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventKey {
    klass: u64,
    origin: u64,
}

impl EventKey {
    #[inline]
    fn by(common: &EqualEvents) -> Self {
        let caller = common.caller.map_or(0, |caller| u64::from(caller.0) + 1);
        let has_klass = u64::from(common.klass.is_some());
        Self {
            klass: common.klass.unwrap_or(0),
            origin: u64::from(common.site.0) << 34 ^ caller << 1 ^ has_klass,
        }
    }

    /// Index of its sum in the table.
    #[inline]
    fn place(self) -> usize {
        // Fibonacci hashing: the upper bits of the product are well mixed.
        let mixed = (self.origin ^ self.klass << 12).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 56) as usize % PLACES
    }
}

#[derive(Clone, Copy, Debug)]
struct NotedSum {
    key: EventKey,
    kept: KeptSite,
    executed: u64,
    units: u64,
    common: EqualEvents,
}

impl NotedSum {
    fn sum(&self) -> EventSum {
        let bytes = self.units * UNIT;
        EventSum {
            executed: self.executed,
            executed_bytes: bytes,
            on_heap: self.executed,
            on_heap_bytes: bytes,
        }
    }
}

/// The sums of one piece. All their objects are on the heap.
#[derive(Debug)]
pub(crate) struct NotedSums {
    places: Box<[Option<NotedSum>; PLACES]>,
    /// Indices of the places in use.
    taken: Vec<u8>,
}

impl Default for NotedSums {
    fn default() -> Self {
        Self {
            places: Box::new([None; PLACES]),
            taken: Vec::new(),
        }
    }
}

impl NotedSums {
    /// Adds an object to the sum of its combination and returns how it is kept. `None` if that sum is not in the
    /// table.
    #[inline]
    pub(crate) fn add(&mut self, common: &EqualEvents, units: u32) -> Option<KeptSite> {
        let key = EventKey::by(common);
        let sum = self.places[key.place()].as_mut();
        let sum = sum.filter(|sum| sum.key == key)?;
        sum.executed += 1;
        sum.units += u64::from(units);
        Some(sum.kept)
    }

    /// Adds the first object of a combination; returns the sum whose place it took.
    #[cold]
    pub(crate) fn add_first(
        &mut self,
        common: EqualEvents,
        units: u32,
        kept: KeptSite,
    ) -> Option<(EqualEvents, EventSum)> {
        let key = EventKey::by(&common);
        let number = key.place();
        let first = NotedSum {
            key,
            common,
            kept,
            executed: 1,
            units: units.into(),
        };
        let before = self.places[number].replace(first);
        if before.is_none() {
            self.taken.push(number as u8);
        }
        before.map(|sum| (sum.common, sum.sum()))
    }

    /// Hands out all sums and starts again.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(&EqualEvents, &EventSum)) {
        for number in self.taken.drain(..) {
            if let Some(sum) = self
                .places
                .get_mut(usize::from(number))
                .and_then(Option::take)
            {
                give(&sum.common, &sum.sum());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use ducktrack_trace_format::{CallSiteId, SiteId};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// More sorts than places: some push others out.
        #[test]
        fn nothing_is_lost(events in prop::collection::vec((16_u32..40, 0_u32..5, 0_u64..9, 1_u32..9), 0..2_000)) {
            let mut sums = NotedSums::default();
            let mut expected: HashMap<(u32, u32, u64), (u64, u64)> = HashMap::new();
            let mut given: HashMap<(u32, u32, u64), (u64, u64)> = HashMap::new();
            let key = |common: &EqualEvents| {
                (common.site.0, common.caller.map_or(0, |caller| caller.0), common.klass.unwrap_or(0))
            };
            let mut take = |common: &EqualEvents, sum: &EventSum| {
                assert_eq!((sum.on_heap, sum.on_heap_bytes), (sum.executed, sum.executed_bytes));
                let entry = given.entry(key(common)).or_default();
                (entry.0, entry.1) = (entry.0 + sum.executed, entry.1 + sum.executed_bytes);
            };
            for (site, caller, klass, units) in events {
                let common = EqualEvents {
                    site: SiteId(site),
                    caller: (caller > 0).then_some(CallSiteId(caller)),
                    klass: (klass > 0).then_some(klass * 0x40),
                };
                let entry = expected.entry(key(&common)).or_default();
                (entry.0, entry.1) = (entry.0 + 1, entry.1 + u64::from(units) * 8);
                let kept = KeptSite::alone(SiteId(site + caller)).unwrap();
                match sums.add(&common, units) {
                    Some(known) => assert_eq!(known, kept),
                    None => if let Some((before, sum)) = sums.add_first(common, units, kept) {
                        take(&before, &sum);
                    },
                }
            }
            sums.drain(&mut take);
            sums.drain(|_, _| panic!("everything was given"));
            prop_assert_eq!(given, expected);
        }
    }
}
