//! Finds the survivor that ends at an address: one bit for each 8 bytes of a collected chunk, set where an unknown survivor ends.
//!
//! There are many events and few survivors, so the usual answer "none" must be cheap: it takes the chunk's entry and one bit. The number of
//! a survivor is the number of bits before its own: a count for each word of bits, plus the bits in the word.

use ducktrack_trace_format::AddressRange;

const CHUNK_SHIFT: u32 = 20;
const WORDS: usize = 1 << (CHUNK_SHIFT - 3 - 6);

/// Most chunks (16 TB) between the lowest and the highest range.
const MOST_CHUNKS: u64 = 1 << 24;

/// The entry of an object that ended at an address before the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// It was not in a collected range.
    NotCollected,
    /// It is dead, or was known before.
    NoSurvivor,
    /// The survivor with this number.
    Survivor(usize),
}

#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    coverage: Coverage,
    /// Index in `bits` plus 1; 0 if no survivor ends here.
    bits: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Coverage {
    #[default]
    None,
    Part,
    Whole,
}

struct Bits {
    words: Box<[u64]>,
    /// Number of survivors that end before each word.
    before: Box<[u32]>,
}

impl Bits {
    fn new(before: u32) -> Self {
        Self {
            words: vec![0; WORDS].into(),
            before: vec![before; WORDS].into(),
        }
    }
}

/// The ends of a collection's unknown survivors.
pub(crate) struct EndIndex {
    ranges: Vec<AddressRange>,
    base: u64,
    chunks: Vec<Chunk>,
    bits: Vec<Bits>,
}

impl EndIndex {
    /// An index of the strictly ascending `ends` of objects that begin in the ascending `ranges` (a huge object ends after its
    /// range). `None` if they span too much.
    pub(crate) fn new(
        ranges: &[AddressRange],
        ends: impl DoubleEndedIterator<Item = u64> + Clone,
    ) -> Option<Self> {
        let base = ranges.first().map_or(0, |range| range.start >> CHUNK_SHIFT);
        let last_range = ranges.last().map_or(0, |range| range.end);
        let last_end = ends.clone().next_back().unwrap_or(0);
        let top = (last_range.max(last_end) >> CHUNK_SHIFT) + 1;
        let span = top.checked_sub(base).filter(|span| *span <= MOST_CHUNKS)?;
        let mut index = Self {
            ranges: ranges.to_vec(),
            base,
            chunks: vec![Chunk::default(); usize::try_from(span).ok()?],
            bits: Vec::new(),
        };
        for range in ranges {
            index.cover(*range);
        }
        index.fill(ends);
        Some(index)
    }

    fn cover(&mut self, range: AddressRange) {
        if range.bytes() == 0 {
            return;
        }
        for number in range.start >> CHUNK_SHIFT..=(range.end - 1) >> CHUNK_SHIFT {
            let start = number << CHUNK_SHIFT;
            let whole = range.start <= start && start + (1 << CHUNK_SHIFT) <= range.end;
            if let Some(chunk) = self.chunks.get_mut((number - self.base) as usize) {
                chunk.coverage = if whole {
                    Coverage::Whole
                } else {
                    Coverage::Part
                };
            }
        }
    }

    fn fill(&mut self, ends: impl Iterator<Item = u64>) {
        let mut current = u64::MAX;
        let mut count = 0_u32;
        for end in ends {
            let (number, word, bit) = place(end);
            let Some(chunk) = self.chunks.get_mut(number.wrapping_sub(self.base) as usize) else {
                count += 1;
                continue;
            };
            if number != current {
                current = number;
                if chunk.bits == 0 {
                    self.bits.push(Bits::new(count));
                    chunk.bits = self.bits.len() as u32;
                }
            }
            if let Some(bits) = self.bits.get_mut(chunk.bits as usize - 1) {
                bits.words[word] |= bit;
            }
            count += 1;
        }
        for bits in &mut self.bits {
            let mut before = bits.before[0];
            for (word, count) in bits.words.iter().zip(bits.before.iter_mut()) {
                *count = before;
                before += word.count_ones();
            }
        }
    }

    /// What is known of the object that ended at `end`.
    #[inline]
    pub(crate) fn look_up(&self, end: u64) -> AtEnd {
        let (number, word, bit) = place(end);
        let chunk = number
            .checked_sub(self.base)
            .and_then(|index| self.chunks.get(index as usize));
        let Some(chunk) = chunk else {
            return AtEnd::NotCollected;
        };
        if let Some(bits) = self.bits.get((chunk.bits as usize).wrapping_sub(1))
            && bits.words[word] & bit != 0
        {
            let before = (bits.words[word] & (bit - 1)).count_ones();
            return AtEnd::Survivor((bits.before[word] + before) as usize);
        }
        match chunk.coverage {
            Coverage::Whole => AtEnd::NoSurvivor,
            Coverage::None => AtEnd::NotCollected,
            Coverage::Part if self.is_collected(end.wrapping_sub(8)) => AtEnd::NoSurvivor,
            Coverage::Part => AtEnd::NotCollected,
        }
    }

    /// True when everything between two addresses was collected and no unknown survivor ended there. False means nothing.
    pub(crate) fn is_dead(&self, start: u64, end: u64) -> bool {
        if end <= start {
            return false;
        }
        let (first, first_word, first_bit) = place(start.wrapping_add(8));
        let (last, last_word, last_bit) = place(end);
        let chunk = first
            .checked_sub(self.base)
            .and_then(|index| self.chunks.get(index as usize));
        let Some(chunk) = chunk.filter(|chunk| first == last && chunk.coverage == Coverage::Whole)
        else {
            return false;
        };
        let Some(bits) = self.bits.get((chunk.bits as usize).wrapping_sub(1)) else {
            return true;
        };
        let up_to =
            |word: usize, below: u64| bits.before[word] + (bits.words[word] & below).count_ones();
        up_to(first_word, first_bit - 1) == up_to(last_word, last_bit | (last_bit - 1))
    }

    /// True when the address is in a range.
    pub(crate) fn is_collected(&self, address: u64) -> bool {
        is_in(&self.ranges, address)
    }
}

/// True when the address is in one of the ascending ranges.
pub(crate) fn is_in(ranges: &[AddressRange], address: u64) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    after
        .checked_sub(1)
        .and_then(|index| ranges.get(index))
        .is_some_and(|range| range.contains(address))
}

/// Chunk, word and bit of the 8 bytes before `end`.
#[inline]
fn place(end: u64) -> (u64, usize, u64) {
    let unit = end.wrapping_sub(8) >> 3;
    let number = unit >> (CHUNK_SHIFT - 3);
    let in_chunk = unit as usize & ((1 << (CHUNK_SHIFT - 3)) - 1);
    (number, in_chunk >> 6, 1 << (in_chunk & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MB: u64 = 1 << 20;

    fn range(start: u64, end: u64) -> AddressRange {
        AddressRange { start, end }
    }

    #[test]
    fn a_huge_object_ends_after_its_range() {
        let ranges = [range(16 * MB, 17 * MB), range(20 * MB, 21 * MB)];
        let ends = [19 * MB + 64, 27 * MB + 8];
        let index = EndIndex::new(&ranges, ends.into_iter()).unwrap();
        assert_eq!(index.look_up(ends[0]), AtEnd::Survivor(0));
        assert_eq!(index.look_up(ends[1]), AtEnd::Survivor(1));
        assert_eq!(index.look_up(19 * MB + 72), AtEnd::NotCollected);
        assert_eq!(index.look_up(20 * MB + 72), AtEnd::NoSurvivor);
    }

    #[test]
    fn ranges_of_more_than_16_tb_are_refused() {
        let ranges = [range(0, MB), range(1 << 60, (1 << 60) + MB)];
        assert!(EndIndex::new(&ranges, std::iter::empty()).is_none());
    }

    proptest! {
        #[test]
        fn every_end_is_found_and_nothing_else(
            borders in prop::collection::btree_set(8_192_u64..1 << 20, 2..12),
            units in prop::collection::btree_set(8_193_u64..1 << 20, 0..300),
            asked in prop::collection::vec(8_192_u64..1 << 20, 50),
        ) {
            let borders: Vec<u64> = borders.into_iter().map(|unit| unit * 8).collect();
            let ranges: Vec<AddressRange> =
                borders.chunks_exact(2).map(|pair| range(pair[0], pair[1])).collect();
            let is_collected = |end: u64| ranges.iter().any(|range| range.contains(end - 8));
            let ends = units.iter().map(|unit| unit * 8);
            let ends: Vec<u64> = ends.filter(|end| is_collected(*end)).collect();
            let index = EndIndex::new(&ranges, ends.iter().copied()).unwrap();
            for (number, end) in ends.iter().enumerate() {
                prop_assert_eq!(index.look_up(*end), AtEnd::Survivor(number));
            }
            for end in asked.iter().map(|unit| unit * 8).filter(|end| !ends.contains(end)) {
                let expected = if is_collected(end) { AtEnd::NoSurvivor } else { AtEnd::NotCollected };
                prop_assert_eq!(index.look_up(end), expected);
            }
            for pair in asked.chunks_exact(2) {
                let (start, end) = (pair[0].min(pair[1]) * 8, pair[0].max(pair[1]) * 8);
                let dead = |end| index.look_up(end) == AtEnd::NoSurvivor;
                let far = end.min(start + (1 << 14));
                if index.is_dead(start, far) {
                    prop_assert!((start / 8 + 1..=far / 8).all(|unit| dead(unit * 8)));
                }
            }
        }
    }
}
