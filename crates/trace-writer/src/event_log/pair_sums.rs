//! Sums of events that state their caller and nothing else, by pair of a caller and a site's word.
//!
//! A few pairs come again and again, so the sums are in a table indexed by a hash of the pair. A
//! new pair takes the place of another with the same hash, and the other's sum is handed out first.

use ducktrack_trace_format::Word;

const PLACE_BITS: u32 = 10;
const PLACES: usize = 1 << PLACE_BITS;

/// The events of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairSum {
    /// How each object is kept.
    pub(crate) kept: Word,
    /// Number of events; 0 marks a free place.
    pub(crate) executed: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pair: u64,
    sum: PairSum,
}

/// The sums of pairs.
#[derive(Debug)]
pub(crate) struct PairSums {
    places: Box<[Place; PLACES]>,
    /// Indices of the places in use.
    taken: Vec<u16>,
    /// Sums whose places were taken.
    displaced: Vec<Place>,
}

impl Default for PairSums {
    fn default() -> Self {
        Self {
            places: Box::new([Place::default(); PLACES]),
            taken: Vec::new(),
            displaced: Vec::new(),
        }
    }
}

impl PairSums {
    /// The sum of a pair that has one.
    #[inline]
    pub(crate) fn known(&mut self, caller: u32, word: u32) -> Option<&mut PairSum> {
        let pair = pair_of(caller, word);
        let place = &mut self.places[place_of(pair)];
        (place.pair == pair && place.sum.executed > 0).then_some(&mut place.sum)
    }

    /// Begins the sum of a pair with its first event.
    pub(crate) fn add_first(&mut self, caller: u32, word: u32, kept: Word) {
        let pair = pair_of(caller, word);
        let index = place_of(pair);
        let sum = PairSum { kept, executed: 1 };
        let before = std::mem::replace(&mut self.places[index], Place { pair, sum });
        match before.sum.executed {
            0 => self.taken.push(index as u16),
            _ => self.displaced.push(before),
        }
    }

    /// Hands out the sums whose places were taken: caller, site's word, number of events. A pair may come more than once.
    pub(crate) fn drain_displaced(&mut self, mut give: impl FnMut(u32, u32, u32)) {
        for place in self.displaced.drain(..) {
            place.hand_out(&mut give);
        }
    }

    /// Hands out all sums and starts again.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(u32, u32, u32)) {
        self.drain_displaced(&mut give);
        for index in self.taken.drain(..) {
            if let Some(place) = self.places.get_mut(usize::from(index)) {
                std::mem::take(place).hand_out(&mut give);
            }
        }
    }
}

impl Place {
    fn hand_out(self, give: &mut impl FnMut(u32, u32, u32)) {
        give(
            (self.pair >> 32) as u32,
            self.pair as u32,
            self.sum.executed,
        );
    }
}

#[inline]
fn pair_of(caller: u32, word: u32) -> u64 {
    u64::from(caller) << 32 | u64::from(word)
}

#[inline]
fn place_of(pair: u64) -> usize {
    // Fibonacci hashing: the upper bits of the product are well mixed.
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// More pairs than places: some push others out.
        #[test]
        fn nothing_is_lost(events in prop::collection::vec((1_u32..4_000, 16_u32..18), 0..6_000)) {
            let mut sums = PairSums::default();
            let mut expected: HashMap<(u32, u32), u32> = HashMap::new();
            let mut given: HashMap<(u32, u32), u32> = HashMap::new();
            let mut take = |caller, word, executed| *given.entry((caller, word)).or_default() += executed;
            for (at, (caller, word)) in events.into_iter().enumerate() {
                *expected.entry((caller, word)).or_default() += 1_u32;
                match sums.known(caller, word) {
                    Some(sum) => {
                        prop_assert_eq!(sum.kept, caller.to_le_bytes());
                        sum.executed += 1;
                    }
                    None => sums.add_first(caller, word, caller.to_le_bytes()),
                }
                if at % 1_000 == 0 {
                    sums.drain_displaced(&mut take);
                }
            }
            sums.drain(&mut take);
            sums.drain(|_, _, _| panic!("everything was given"));
            prop_assert_eq!(given, expected);
        }
    }
}
