//! Compares two sets of objects, each object with its place, class and size, by one number per set.
//!
//! ```text
//! object   (place ^ A) * (class << 32 | words ^ B)   128 bits: upper half ^ lower half, mixed once more
//! set      sum of its objects, modulo 2^64
//! ```
//!
//! Survivors are found in the order of their old copies and checked in the order of their new places. Comparing them one by one would cost
//! a cache miss each. The sum does not depend on order or on the number of threads. Two different sets have the same sum with probability
//! 2^-64; addresses are not chosen to force a collision.

use crate::address::Address;
use crate::classes::class_table::ClassId;
use crate::collection::survivor::Survivor;

const A: u64 = 0x9E37_79B9_7F4A_7C15;
const B: u64 = 0xD1B5_4A32_D192_ED03;

/// The sum of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PlacementSum(u64);

impl PlacementSum {
    /// Adds an object if `counts` is set.
    #[inline(always)]
    pub(crate) fn add_if(&mut self, counts: bool, place: Address, class: ClassId, bytes: usize) {
        let one = of_object(place, class, bytes as u64 / 8);
        self.0 = self.0.wrapping_add(one & u64::from(counts).wrapping_neg());
    }

    /// Adds a survivor at its new place.
    #[inline(always)]
    pub(crate) fn add(&mut self, survivor: &Survivor) {
        let one = of_object(survivor.to, survivor.class, survivor.bytes() / 8);
        self.0 = self.0.wrapping_add(one);
    }

    /// Removes an object.
    pub(crate) fn take_away(&mut self, place: Address, class: ClassId, bytes: usize) {
        self.0 = self
            .0
            .wrapping_sub(of_object(place, class, bytes as u64 / 8));
    }

    /// Adds all objects of another set.
    pub(crate) fn join(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

#[inline(always)]
fn of_object(place: Address, class: ClassId, words: u64) -> u64 {
    let what = u64::from(class.0) << 32 ^ words;
    let product = u128::from(place.0 as u64 ^ A) * u128::from(what ^ B);
    let folded = (product >> 64) as u64 ^ product as u64;
    (folded ^ folded >> 32).wrapping_mul(A)
}

#[cfg(test)]
mod tests {
    use super::PlacementSum;
    use crate::address::Address;
    use crate::classes::class_table::ClassId;
    use crate::collection::survivor::Survivor;

    fn survivor(to: usize, bytes: usize, class: u32) -> Survivor {
        Survivor::new(Address(8), Address(to), bytes, ClassId(class)).expect("a size")
    }

    fn sum(survivors: &[Survivor]) -> PlacementSum {
        let mut sum = PlacementSum::default();
        survivors.iter().for_each(|survivor| sum.add(survivor));
        sum
    }

    #[test]
    fn a_set_has_one_sum_in_every_order() {
        let [one, other] = [survivor(0x1000, 24, 5), survivor(0x1018, 16, 7)];
        let mut met = PlacementSum::default();
        met.add_if(true, Address(0x1018), ClassId(7), 16);
        met.add_if(false, Address(0x1028), ClassId(9), 16);
        let mut of_another_thread = PlacementSum::default();
        of_another_thread.add_if(true, Address(0x1000), ClassId(5), 24);
        met.join(of_another_thread);
        assert_eq!(sum(&[one, other]), met);
        met.take_away(other.to, other.class, 16);
        assert_eq!(sum(&[one]), met);
    }

    #[test]
    fn places_classes_and_sizes_count() {
        let here = [survivor(0x1000, 24, 5), survivor(0x1018, 16, 7)];
        // The second object is the first with two of its three properties exchanged in turn.
        for there in [
            [survivor(0x1000, 24, 7), survivor(0x1018, 16, 5)],
            [survivor(0x1000, 16, 5), survivor(0x1018, 24, 7)],
            [survivor(0x1000, 16, 7), survivor(0x1018, 24, 6)],
            [survivor(0x1008, 24, 5), survivor(0x1010, 16, 7)],
        ] {
            assert_ne!(sum(&here), sum(&there), "{there:?}");
        }
    }
}
