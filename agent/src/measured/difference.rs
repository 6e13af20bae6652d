//! The counts added to blocks between two readings.

use rustc_hash::FxHashMap;

use crate::threads::counter_block::BlockValues;

/// Call site, site and klass (0: not part of the key) of a keyed entry.
pub(crate) type Key = (u32, u32, usize);

/// Amounts by counter and by keyed entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) counters: FxHashMap<u32, u64>,
    pub(crate) keyed: FxHashMap<Key, (u64, u64)>,
    /// Objects and bytes that found no room among the keyed entries.
    pub(crate) lost: (u64, u64),
}

impl Difference {
    /// Adds what a block counted from one reading to a later one.
    pub(crate) fn add(&mut self, before: &BlockValues, after: &BlockValues) {
        let mut known: FxHashMap<u32, u64> = before.counters.iter().copied().collect();
        for (id, value) in &after.counters {
            self.add_counter(*id, value.wrapping_sub(known.remove(id).unwrap_or(0)));
        }
        let mut known_keys: FxHashMap<Key, (u64, u64)> = keyed(before).collect();
        for (key, (count, bytes)) in keyed(after) {
            let (count_before, bytes_before) = known_keys.remove(&key).unwrap_or_default();
            let more = (
                count.wrapping_sub(count_before),
                bytes.wrapping_sub(bytes_before),
            );
            self.add_keyed(key, more);
        }
        // The block was folded between the readings: another one has these by now.
        for (id, value) in known {
            self.add_counter(id, value.wrapping_neg());
        }
        for (key, (count, bytes)) in known_keys {
            self.add_keyed(key, (count.wrapping_neg(), bytes.wrapping_neg()));
        }
        let lost = (
            after.lost.0.wrapping_sub(before.lost.0),
            after.lost.1.wrapping_sub(before.lost.1),
        );
        self.lost = (
            self.lost.0.wrapping_add(lost.0),
            self.lost.1.wrapping_add(lost.1),
        );
    }

    fn add_counter(&mut self, id: u32, more: u64) {
        if more != 0 {
            let sum = self.counters.entry(id).or_default();
            *sum = sum.wrapping_add(more);
        }
    }

    fn add_keyed(&mut self, key: Key, more: (u64, u64)) {
        if more != (0, 0) {
            let sum = self.keyed.entry(key).or_default();
            *sum = (sum.0.wrapping_add(more.0), sum.1.wrapping_add(more.1));
        }
    }

    /// Leaves out what has not grown after all.
    pub(crate) fn settle(&mut self) {
        self.counters.retain(|_, value| *value != 0);
        self.keyed.retain(|_, value| *value != (0, 0));
    }
}

fn keyed(values: &BlockValues) -> impl Iterator<Item = (Key, (u64, u64))> {
    values.keyed.iter().map(|entry| {
        let key = (entry.call_site, entry.site, entry.klass);
        (key, (entry.count, entry.bytes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::counter_block::KeyedEntry;

    fn entry(site: u32, count: u64) -> KeyedEntry {
        KeyedEntry {
            call_site: 5,
            site,
            klass: 0,
            count,
            bytes: 8 * count,
        }
    }

    #[test]
    fn only_growth_is_in_the_difference_and_pieces_add_up() {
        let before = BlockValues {
            counters: vec![(70, 4), (71, 9)],
            keyed: vec![entry(16, 3)],
            lost: (1, 8),
        };
        let after = BlockValues {
            counters: vec![(70, 6), (71, 9), (72, 1)],
            keyed: vec![entry(16, 3), entry(17, 2)],
            lost: (2, 24),
        };
        let mut difference = Difference::default();
        difference.add(&before, &after);
        difference.add(&BlockValues::default(), &before);
        let counters = [(70, 6), (71, 9), (72, 1)].into_iter().collect();
        let keyed = [((5, 16, 0), (3, 24)), ((5, 17, 0), (2, 16))];
        let expected = Difference {
            counters,
            keyed: keyed.into_iter().collect(),
            lost: (2, 24),
        };
        assert_eq!(difference, expected);
    }

    #[test]
    fn values_that_move_to_another_block_have_not_grown() {
        let values = |counters: &[(u32, u64)], keyed| BlockValues {
            counters: counters.to_vec(),
            keyed,
            lost: (0, 0),
        };
        let nothing = BlockValues::default();
        let mut difference = Difference::default();
        difference.add(&values(&[(70, 4)], vec![entry(16, 3)]), &nothing);
        difference.add(&nothing, &values(&[(70, 5), (71, 2)], vec![entry(16, 3)]));
        difference.settle();
        let counters = [(70, 1), (71, 2)].into_iter().collect();
        let expected = Difference {
            counters,
            ..Difference::default()
        };
        assert_eq!(difference, expected);
    }
}
