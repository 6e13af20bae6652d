//! The numbers that a recording has defined. Code of an earlier recording that still runs counts under others.

use parking_lot::RwLock;

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// A set of numbers, one bit each.
#[derive(Default)]
pub(super) struct NumberSet {
    words: RwLock<Vec<u64>>,
}

impl NumberSet {
    pub(super) fn insert(&self, number: u32) {
        let index = number as usize / BITS;
        let mut words = self.words.write();
        if words.len() <= index {
            words.resize(index + 1, 0);
        }
        if let Some(word) = words.get_mut(index) {
            *word |= 1 << (number as usize % BITS);
        }
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let words = self.words.read();
        let word = words.get(number as usize / BITS);
        word.is_some_and(|word| word >> (number as usize % BITS) & 1 == 1)
    }

    /// How many numbers it has.
    pub(super) fn len(&self) -> u32 {
        self.words.read().iter().map(|word| word.count_ones()).sum()
    }

    /// Frees its memory.
    pub(super) fn clear(&self) {
        *self.words.write() = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_was_inserted() {
        let set = NumberSet::default();
        for number in [0, 63, 64, 1000] {
            set.insert(number);
            set.insert(number);
        }
        let has: Vec<u32> = (0..2000).filter(|number| set.contains(*number)).collect();
        assert_eq!((has, set.len()), (vec![0, 63, 64, 1000], 4));
    }
}
