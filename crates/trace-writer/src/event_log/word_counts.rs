//! Counts how often each word comes in a piece. A piece has thousands of words but only a few hundred different ones, so counting one is a
//! table look-up.
//!
//! ```text
//! place   word, 2 counts     a hash of the word is its index; a new word replaces the one in its place, whose count is handed out
//! ```
//!
//! Words at even and at odd positions of a block have separate counts, so that a word that comes twice in a row need not wait for its
//! own count.
//!
//! Only words of sites are counted. None of them is 0, so 0 marks a free place.

use ducktrack_trace_format::Word;

const PLACE_BITS: u32 = 11;
const PLACES: usize = 1 << PLACE_BITS;

/// A word and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordCount {
    pub(crate) word: u32,
    pub(crate) count: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    word: u32,
    counts: [u32; 2],
}

impl Place {
    fn count(self) -> WordCount {
        let [even, odd] = self.counts;
        WordCount {
            word: self.word,
            count: even + odd,
        }
    }
}

/// The counts of a piece's words.
#[derive(Debug)]
pub(crate) struct WordCounts {
    places: Box<[Place; PLACES]>,
    /// Indices of the places in use.
    taken: Vec<u16>,
}

impl Default for WordCounts {
    fn default() -> Self {
        Self {
            places: Box::new([Place::default(); PLACES]),
            taken: Vec::new(),
        }
    }
}

impl WordCounts {
    /// Counts a word (never 0) that has a place. False if it has none.
    #[inline(always)]
    pub(crate) fn add(&mut self, word: u32) -> bool {
        add(&mut self.places, word, 0)
    }

    /// Counts words until one has no place; returns how many were counted.
    #[inline(always)]
    pub(crate) fn add_all(&mut self, words: &[Word]) -> usize {
        let places = &mut *self.places;
        let mut counted = 0;
        for word in words {
            if !add(places, u32::from_le_bytes(*word), counted % 2) {
                break;
            }
            counted += 1;
        }
        counted
    }

    /// Gives a word a place and counts it; returns the count that it replaced.
    pub(crate) fn enter(&mut self, word: u32) -> Option<WordCount> {
        let index = place_of(word);
        let counts = [1, 0];
        let before = std::mem::replace(&mut self.places[index], Place { word, counts });
        if before.word == 0 {
            self.taken.push(index as u16);
            return None;
        }
        Some(before.count())
    }

    /// Hands out all counts and starts again.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(WordCount)) {
        for index in self.taken.drain(..) {
            if let Some(place) = self.places.get_mut(usize::from(index)) {
                give(std::mem::take(place).count());
            }
        }
    }
}

#[inline(always)]
fn add(places: &mut [Place; PLACES], word: u32, which: usize) -> bool {
    let place = &mut places[place_of(word)];
    let is_known = place.word == word;
    if is_known {
        place.counts[which % 2] += 1;
    }
    is_known
}

#[inline(always)]
fn place_of(word: u32) -> usize {
    // Fibonacci hashing: the upper bits of the product are well mixed.
    (word.wrapping_mul(0x9E37_79B1) >> (32 - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// More words than places: some push others out.
        #[test]
        fn nothing_is_lost(words in prop::collection::vec(1_u32..6_000, 0..9_000)) {
            let mut counts = WordCounts::default();
            let mut expected: HashMap<u32, u32> = HashMap::new();
            let mut given: HashMap<u32, u32> = HashMap::new();
            for word in words {
                *expected.entry(word).or_default() += 1;
                if !counts.add(word) && let Some(before) = counts.enter(word) {
                    *given.entry(before.word).or_default() += before.count;
                }
            }
            counts.drain(|last| *given.entry(last.word).or_default() += last.count);
            counts.drain(|_| panic!("everything was given"));
            prop_assert_eq!(given, expected);
        }
    }
}
