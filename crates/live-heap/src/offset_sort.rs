//! Sorts the objects of a chunk by their offsets, in time that grows with
//! their number alone: survivors of a parallel collection come in no order.

/// Bits of an offset that one pass looks at.
const DIGIT: u32 = 10;
const DIGITS: usize = 1 << DIGIT;
/// Shorter lists are sorted by comparison.
const FEW: usize = 256;

/// Memory that serves for one list after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct OffsetSort {
    /// Offset, and place in the list.
    keys: Vec<(u32, u32)>,
    sorted: Vec<(u32, u32)>,
}

impl OffsetSort {
    /// Sorts by offsets of at most `bits` bits. What has the same offset stays in its order.
    pub(crate) fn sort<T>(&mut self, objects: &mut [T], bits: u32, offset: impl Fn(&T) -> u32) {
        if objects.len() < FEW || u32::try_from(objects.len()).is_err() {
            return objects.sort_by_key(offset);
        }
        self.keys.clear();
        self.keys.extend(objects.iter().map(offset).zip(0..));
        self.sorted.resize(objects.len(), (0, 0));
        for pass in 0..bits.div_ceil(DIGIT) {
            self.pass(pass * DIGIT);
            core::mem::swap(&mut self.keys, &mut self.sorted);
        }
        self.put_in_place(objects);
    }

    /// Brings `keys` into `sorted`, by the digit from bit `shift` on.
    fn pass(&mut self, shift: u32) {
        let digit = |offset: u32| (offset >> shift) as usize % DIGITS;
        let mut next = [0_u32; DIGITS];
        for (offset, _) in &self.keys {
            next[digit(*offset)] += 1;
        }
        let mut before = 0;
        for count in &mut next {
            before += core::mem::replace(count, before);
        }
        for key in &self.keys {
            let next = &mut next[digit(key.0)];
            if let Some(place) = self.sorted.get_mut(*next as usize) {
                *place = *key;
            }
            *next += 1;
        }
    }

    /// Moves each object to where `keys` has its place, one cycle of the permutation after the other.
    fn put_in_place<T>(&mut self, objects: &mut [T]) {
        for start in 0..self.keys.len() {
            let mut at = start;
            loop {
                let from = core::mem::replace(&mut self.keys[at].1, at as u32) as usize;
                if from == start {
                    break;
                }
                objects.swap(at, from);
                at = from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_and_keeps_the_order_of_equals(offsets in prop::collection::vec(0_u32..1 << 20, 0..2_000), few in 1_u32..1 << 20) {
            let mut sort = OffsetSort::default();
            let objects = offsets.iter().map(|offset| offset % few).zip(0_u32..);
            let mut objects: Vec<(u32, u32)> = objects.collect();
            let mut expected = objects.clone();
            expected.sort_by_key(|object| object.0);
            sort.sort(&mut objects, 20, |object| object.0);
            prop_assert_eq!(objects, expected);
        }
    }
}
