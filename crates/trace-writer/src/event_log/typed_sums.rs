//! Sums of events that state their class and nothing else, by class and site's word, and how such an event is written.
//!
//! A few combinations come again and again, so the sums are in a table indexed by a hash of the combination.
//! A new combination takes the place of another with the same hash, and the other's sum is handed out first.

use ducktrack_trace_format::{CLASS_STATED, Word};

const PLACE_BITS: u32 = 9;
const PLACES: usize = 1 << PLACE_BITS;

/// The events of one class and one site's word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TypedSum {
    klass: u64,
    word: u32,
    /// Number of events; 0 marks a free place.
    executed: u32,
    /// The piece in which `number` stands for the class.
    piece: u32,
    number: u32,
}

/// The sums of one thread.
#[derive(Debug)]
pub(crate) struct TypedSums {
    places: Box<[TypedSum; PLACES]>,
    /// Indices of the places in use.
    taken: Vec<u16>,
    /// Sums whose places were taken.
    displaced: Vec<TypedSum>,
}

impl Default for TypedSums {
    fn default() -> Self {
        Self {
            places: Box::new([TypedSum::default(); PLACES]),
            taken: Vec::new(),
            displaced: Vec::new(),
        }
    }
}

impl TypedSums {
    /// Adds an event, if its class has a number in this piece; returns the event in short.
    #[inline]
    pub(crate) fn add(&mut self, klass: u64, word: u32, piece: u32) -> Option<[Word; 2]> {
        let sum = &mut self.places[place_of(klass, word)];
        if sum.klass != klass || sum.word != word || sum.piece != piece {
            return None;
        }
        sum.executed += 1;
        Some([CLASS_STATED | sum.number, word].map(u32::to_le_bytes))
    }

    /// Adds an event whose class has this number in this piece from now on; 0: it has none.
    pub(crate) fn enter(&mut self, klass: u64, word: u32, piece: u32, number: u32) {
        let index = place_of(klass, word);
        let sum = &mut self.places[index];
        let is_same = sum.klass == klass && sum.word == word;
        if sum.executed == 0 {
            self.taken.push(index as u16);
        } else if !is_same {
            self.displaced.push(*sum);
        }
        *sum = TypedSum {
            klass,
            word,
            executed: if is_same { sum.executed + 1 } else { 1 },
            // Pieces are counted from 1.
            piece: if number > 0 { piece } else { 0 },
            number,
        };
    }

    /// Hands out the sums whose places were taken: class, site's word, number of events. A combination may come more than once.
    pub(crate) fn drain_displaced(&mut self, mut give: impl FnMut(u64, u32, u32)) {
        for sum in self.displaced.drain(..) {
            give(sum.klass, sum.word, sum.executed);
        }
    }

    /// Hands out all sums and starts again.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(u64, u32, u32)) {
        self.drain_displaced(&mut give);
        for index in self.taken.drain(..) {
            if let Some(place) = self.places.get_mut(usize::from(index)) {
                let sum = std::mem::take(place);
                give(sum.klass, sum.word, sum.executed);
            }
        }
    }
}

#[inline]
fn place_of(klass: u64, word: u32) -> usize {
    // Fibonacci hashing: the upper bits of the product are well mixed. Addresses of classes are multiples of 8, below 2^48.
    let mixed = (klass ^ u64::from(word) << 28).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// More combinations than places: some push others out.
        #[test]
        fn nothing_is_lost(events in prop::collection::vec((1_u64..1_000, 16_u32..18, 0_u32..2), 0..4_000)) {
            let mut sums = TypedSums::default();
            let mut expected: HashMap<(u64, u32), u32> = HashMap::new();
            let mut given: HashMap<(u64, u32), u32> = HashMap::new();
            let mut take = |klass, word, executed| *given.entry((klass, word)).or_default() += executed;
            for (at, (class, word, has_number)) in events.into_iter().enumerate() {
                let (klass, piece, number) = (class * 8, at as u32 / 700 + 1, class as u32 * has_number);
                *expected.entry((klass, word)).or_default() += 1_u32;
                match sums.add(klass, word, piece) {
                    Some(short) => {
                        let numbered = CLASS_STATED | class as u32;
                        prop_assert_eq!(short, [numbered, word].map(u32::to_le_bytes));
                    }
                    None => sums.enter(klass, word, piece, number),
                }
                if at % 700 == 699 {
                    sums.drain_displaced(&mut take);
                }
            }
            sums.drain(&mut take);
            sums.drain(|_, _, _| panic!("everything was given"));
            prop_assert_eq!(given, expected);
        }
    }
}
