//! Processes sixteen words at once: the compiler turns loops over sixteen words into SIMD instructions.

use ducktrack_trace_format::{FIRST_SITE, MAX_UNITS, Word};

/// Words of a block.
pub(crate) const BLOCK: usize = 16;

/// A word below this power of two is not a site's.
const ESCAPE_BITS: u32 = 12 + FIRST_SITE.ilog2();

/// Sixteen words of a piece.
pub(crate) type WordBlock = [Word; BLOCK];

/// What kinds of words a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockSurvey {
    /// All words are of sites.
    pub(crate) is_plain: bool,
    /// Some objects were eliminated; valid if all words are of sites.
    pub(crate) has_eliminated: bool,
    /// Units of all words.
    pub(crate) units: u32,
}

/// Surveys a block.
#[inline]
pub(crate) fn survey(block: &WordBlock) -> BlockSurvey {
    let (mut escapes, mut eliminated, mut units) = (0, 0, 0);
    for word in block {
        let word = u32::from_le_bytes(*word);
        // 0 minus 1 sets the highest bit. Comparisons would not become SIMD instructions on every target.
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

/// Copies the words of objects that were not eliminated, one after the other, and returns how many. Later words of `kept` are
/// meaningless.
#[inline]
pub(crate) fn keep(block: &WordBlock, kept: &mut WordBlock) -> usize {
    let mut count = 0;
    for word in block {
        // The count never exceeds the size of the block.
        kept[count % BLOCK] = *word;
        count += usize::from(u32::from_le_bytes(*word) & MAX_UNITS > 0);
    }
    count
}

/// Copies all words and returns how many.
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
