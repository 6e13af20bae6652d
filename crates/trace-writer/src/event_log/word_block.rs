//! Sixteen words at once: loops over sixteen become instructions that take several words each.

use ducktrack_trace_format::{FIRST_SITE, MAX_UNITS, Word};

/// Words of a block.
pub(crate) const BLOCK: usize = 16;

/// Words below this power of two are not those of sites.
const ESCAPE_BITS: u32 = 12 + FIRST_SITE.ilog2();

/// See the module.
pub(crate) type WordBlock = [Word; BLOCK];

/// What there is in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockSurvey {
    /// All words are those of sites.
    pub(crate) is_plain: bool,
    /// Some of them are of eliminated objects, if all are those of sites.
    pub(crate) has_eliminated: bool,
    /// Units of all.
    pub(crate) units: u32,
}

/// Looks at a block.
#[inline]
pub(crate) fn survey(block: &WordBlock) -> BlockSurvey {
    let (mut escapes, mut eliminated, mut units) = (0, 0, 0);
    for word in block {
        let word = u32::from_le_bytes(*word);
        // One less than 0 has the highest bit; comparisons would not become such instructions everywhere.
        escapes |= (word >> ESCAPE_BITS).wrapping_sub(1);
        eliminated |= (word & MAX_UNITS).wrapping_sub(1);
        units += word & MAX_UNITS;
    }
    BlockSurvey {
        is_plain: escapes >> 31 == 0,
        has_eliminated: eliminated >> 31 != 0,
        units,
    }
}

/// Copies the words that are not of eliminated objects, one after the other; how many these are. What follows them then means nothing.
#[inline]
pub(crate) fn keep(block: &WordBlock, kept: &mut WordBlock) -> usize {
    let mut count = 0;
    for word in block {
        // There are never more than the block has.
        kept[count % BLOCK] = *word;
        count += usize::from(u32::from_le_bytes(*word) & MAX_UNITS > 0);
    }
    count
}

/// Copies all words; how many these are.
#[inline]
pub(crate) fn copy(block: &WordBlock, kept: &mut WordBlock) -> usize {
    *kept = *block;
    BLOCK
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word() -> impl Strategy<Value = u32> {
        let plain = (FIRST_SITE..40, 0_u32..4);
        let any = (0_u32..1 << 20, 0..=MAX_UNITS);
        prop_oneof![20 => plain, 1 => any].prop_map(|(site, units)| site << 12 | units)
    }

    proptest! {
        #[test]
        fn a_block_is_what_its_words_are(words in prop::array::uniform16(word())) {
            let block = words.map(u32::to_le_bytes);
            let survey = survey(&block);
            prop_assert_eq!(survey.is_plain, words.iter().all(|word| word >> 12 >= FIRST_SITE));
            let is_on_heap = |word: &&u32| **word & MAX_UNITS > 0;
            prop_assert_eq!(survey.has_eliminated, !words.iter().all(|word| is_on_heap(&word)));
            prop_assert_eq!(survey.units, words.iter().map(|word| word & MAX_UNITS).sum::<u32>());
            let mut kept = [[0; 4]; BLOCK];
            let count = keep(&block, &mut kept);
            let on_heap: Vec<_> = words.iter().filter(is_on_heap).map(|word| word.to_le_bytes()).collect();
            prop_assert_eq!(&kept[..count], &on_heap[..]);
        }
    }
}
