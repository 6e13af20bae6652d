//! Places that objects can have moved to in an evacuation, and which of them survivors claim.
//!
//! ```text
//! after the collection         new places
//! survivor space or region     from its bottom up
//! old space, old region        from its former top, or from its bottom if it was free
//! kept region, all others      none
//! ```
//!
//! Claims form a bitmap with one bit per 8 bytes: a moved object claims the place where it starts, and no two may claim the same. When the
//! objects at the new places are walked, their claims are cleared; any claim left over belongs to something that is not an object.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::address::Address;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::heap::space::{Space, SpaceKind};

/// Memory covered by one word of claims, in bytes.
const BYTES_OF_WORD: usize = 64 * 8;
/// Lookup granularity in bytes. No region is smaller.
const GRANULE: usize = 1 << 20;

/// All places, and the claims to them.
#[derive(Debug)]
pub(crate) struct NewPlaces {
    /// Ascending.
    places: Vec<Place>,
    /// For each granule, from that of the first place on: the first place that ends in or after it.
    granules: Vec<u32>,
    claims: Vec<AtomicU64>,
    /// Other memory that changed although nothing should have moved there. Ascending.
    unexpected: Vec<AddressRange>,
}

/// Memory of one space that objects can have moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: u32,
    pub(crate) start: Address,
    /// The end of the space.
    pub(crate) limit: Address,
    /// Index of the word of claims for its start.
    first_claim: usize,
}

/// The result of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    First,
    /// Another object has claimed the same place.
    Again,
    /// Nothing should have moved there.
    Nowhere,
}

impl NewPlaces {
    /// Compares the spaces before and after the collection, each list ascending.
    pub(crate) fn of(before: &[Space], after: &[Space]) -> Self {
        let mut places: Vec<Place> = Vec::new();
        let mut unexpected: Vec<AddressRange> = Vec::new();
        for space in after.iter().filter(|space| space.bottom < space.top) {
            let former = former(space, before);
            if let Some(start) = start(space, former) {
                places.push(Place {
                    space: space.index,
                    start,
                    limit: space.top,
                    first_claim: 0,
                });
            } else if former.is_none_or(|former| former.top != space.top) {
                unexpected.push(AddressRange::from(space));
            }
        }
        unexpected.sort_unstable();
        places.sort_unstable_by_key(|place| place.start);
        let mut claims = 0;
        for place in &mut places {
            place.first_claim = claims;
            claims += place.limit.above(place.start).div_ceil(BYTES_OF_WORD);
        }
        Self {
            unexpected,
            granules: granules(&places),
            places,
            claims: std::iter::repeat_with(AtomicU64::default)
                .take(claims)
                .collect(),
        }
    }

    /// All places, ascending.
    pub(crate) fn list(&self) -> &[Place] {
        &self.places
    }

    /// From the first to the last place, including unexpectedly changed memory.
    pub(crate) fn bounds(&self) -> Option<AddressRange> {
        let places = self.places.iter().map(|place| AddressRange {
            start: place.start,
            end: place.limit,
        });
        let all = places.chain(self.unexpected.iter().copied());
        all.reduce(|one, other| AddressRange {
            start: one.start.min(other.start),
            end: one.end.max(other.end),
        })
    }

    /// Clears every claim.
    pub(crate) fn forget_claims(&mut self) {
        for claim in &mut self.claims {
            *claim.get_mut() = 0;
        }
    }

    /// Claims the place of an object. Callable from any thread.
    pub(crate) fn claim(&self, object: Address) -> Claim {
        match self.place_of(object) {
            Some(place) if self.claim_in(place, object) => Claim::First,
            Some(_) => Claim::Again,
            None => Claim::Nowhere,
        }
    }

    /// Claims an object in this place. Returns whether the claim is the first.
    #[inline]
    pub(crate) fn claim_in(&self, place: &Place, object: Address) -> bool {
        self.claim_word(place, object)
            .is_some_and(|(word, bit)| word.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }

    /// Clears the claim to an object that was found there. Returns whether there was one. Callable from any thread.
    #[inline]
    pub(crate) fn clear_claim(&self, object: Address) -> bool {
        self.claim_of(object)
            .is_some_and(|(word, bit)| word.fetch_and(!bit, Ordering::Relaxed) & bit != 0)
    }

    /// Whether the place is claimed and no object has been found there.
    #[inline]
    pub(crate) fn is_claimed(&self, object: Address) -> bool {
        self.claim_of(object)
            .is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Claims in a place, ascending, at least `bytes` bytes apart.
    pub(crate) fn claims_apart(
        &self,
        place: &Place,
        bytes: usize,
    ) -> impl Iterator<Item = Address> {
        let start = place.start;
        let words = self
            .words_of(place)
            .iter()
            .zip((0..).step_by(BYTES_OF_WORD));
        let mut next = 0;
        words.filter_map(move |(word, offset)| {
            let word = word.load(Ordering::Relaxed);
            if word == 0 || offset < next {
                return None;
            }
            next = offset + bytes;
            Some(start.plus(offset + word.trailing_zeros() as usize * 8))
        })
    }

    /// The last claim in a place.
    pub(crate) fn last_claim(&self, place: &Place) -> Option<Address> {
        let words = self.words_of(place);
        let last = words
            .iter()
            .rposition(|word| word.load(Ordering::Relaxed) != 0)?;
        let word = words.get(last)?.load(Ordering::Relaxed);
        let bit = word.checked_ilog2()? as usize;
        Some(place.start.plus(last * BYTES_OF_WORD + bit * 8))
    }

    fn words_of(&self, place: &Place) -> &[AtomicU64] {
        let first = place.first_claim;
        let words = place.limit.above(place.start).div_ceil(BYTES_OF_WORD);
        self.claims.get(first..first + words).unwrap_or_default()
    }

    /// The place that contains an address.
    #[inline]
    pub(crate) fn place_of(&self, object: Address) -> Option<&Place> {
        let granule = (object.0 / GRANULE).checked_sub(self.places.first()?.start.0 / GRANULE)?;
        let first = *self.granules.get(granule)? as usize;
        let mut from_there = self.places.get(first..)?.iter();
        let place = from_there.find(|place| object < place.limit)?;
        (place.start <= object).then_some(place)
    }

    /// The end of the memory around `object` that changed although nothing should have moved there.
    pub(crate) fn end_of_unexpected(&self, object: Address) -> Option<Address> {
        let number = AddressRange::position(&self.unexpected, object)?;
        self.unexpected.get(number).map(|range| range.end)
    }

    #[inline]
    fn claim_of(&self, object: Address) -> Option<(&AtomicU64, u64)> {
        self.claim_word(self.place_of(object)?, object)
    }

    #[inline]
    fn claim_word(&self, place: &Place, object: Address) -> Option<(&AtomicU64, u64)> {
        let offset = object.above(place.start);
        let word = self
            .claims
            .get(place.first_claim + offset / BYTES_OF_WORD)?;
        Some((word, 1 << (offset / 8 % 64)))
    }
}

fn granules(places: &[Place]) -> Vec<u32> {
    let (Some(first), Some(last)) = (places.first(), places.last()) else {
        return Vec::new();
    };
    let mut number = 0;
    let granules = first.start.0 / GRANULE..=last.limit.0 / GRANULE;
    let place_of = |granule: usize| {
        let start = Address(granule * GRANULE);
        let passed = |place: &&Place| place.limit <= start;
        number += places
            .iter()
            .skip(number as usize)
            .take_while(passed)
            .count() as u32;
        number
    };
    granules.map(place_of).collect()
}

/// The same space before the collection.
fn former<'b>(space: &Space, before: &'b [Space]) -> Option<&'b Space> {
    let same = |former: &&Space| former.bottom == space.bottom;
    // Region lists are long and ascending, so the index is tried first.
    let by_index = before.binary_search_by_key(&space.index, |former| former.index);
    let by_index = by_index.ok().and_then(|place| before.get(place));
    by_index.filter(same).or_else(|| before.iter().find(same))
}

/// The first address that objects can have moved to in this space.
fn start(space: &Space, former: Option<&Space>) -> Option<Address> {
    match (space.kind, former.map(|former| former.kind)) {
        (SpaceKind::Survivor | SpaceKind::To, _) => Some(space.bottom),
        (SpaceKind::Old, Some(SpaceKind::Old)) => Some(former?.top),
        (SpaceKind::Old, None | Some(SpaceKind::Free)) => Some(space.bottom),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, NewPlaces};
    use crate::address::Address;
    use crate::heap::space::{Space, SpaceKind};

    fn space(kind: SpaceKind, index: u32, bottom: usize, top: usize) -> Space {
        Space {
            kind,
            index,
            bottom: Address(bottom),
            top: Address(top),
        }
    }

    fn found(before: &[Space], after: &[Space]) -> Vec<(usize, usize)> {
        let places = NewPlaces::of(before, after);
        let ends = places.list().iter();
        ends.map(|place| (place.start.0, place.limit.0)).collect()
    }

    #[test]
    fn objects_move_to_survivors_and_to_the_end_of_old() {
        let before = [
            space(SpaceKind::Old, 0, 0x1000, 0x1800),
            space(SpaceKind::Eden, 1, 0x2000, 0x3000),
            space(SpaceKind::Survivor, 2, 0x3000, 0x3100),
            space(SpaceKind::To, 3, 0x4000, 0x4000),
        ];
        let after = [
            space(SpaceKind::Old, 0, 0x1000, 0x1900),
            space(SpaceKind::Eden, 1, 0x2000, 0x2000),
            space(SpaceKind::Survivor, 2, 0x4000, 0x4200),
            space(SpaceKind::To, 3, 0x3000, 0x3000),
        ];
        assert_eq!(found(&before, &after), [(0x1800, 0x1900), (0x4000, 0x4200)]);
    }

    #[test]
    fn nothing_moves_to_regions_that_were_kept() {
        let before = [
            space(SpaceKind::Eden, 4, 0x1000, 0x2000),
            space(SpaceKind::Free, 5, 0x2000, 0x2000),
            space(SpaceKind::HumongousStart, 7, 0x4000, 0x5000),
        ];
        let after = [
            space(SpaceKind::Old, 4, 0x1000, 0x2000),
            space(SpaceKind::Old, 5, 0x2000, 0x2800),
            space(SpaceKind::HumongousStart, 7, 0x4000, 0x5000),
            space(SpaceKind::Survivor, 9, 0x6000, 0x6800),
        ];
        assert_eq!(found(&before, &after), [(0x2000, 0x2800), (0x6000, 0x6800)]);
    }

    #[test]
    fn other_memory_with_something_new_is_strange() {
        let before = [
            space(SpaceKind::Old, 0, 0x1000, 0x1800),
            space(SpaceKind::HumongousStart, 1, 0x2000, 0x3000),
        ];
        let after = [
            space(SpaceKind::Old, 0, 0x1000, 0x1900),
            space(SpaceKind::HumongousStart, 1, 0x2000, 0x3000),
            space(SpaceKind::HumongousStart, 2, 0x3000, 0x3100),
        ];
        let places = NewPlaces::of(&before, &after);
        let end = |at| places.end_of_unexpected(Address(at));
        assert_eq!([end(0x1000), end(0x1800), end(0x2000)], [None; 3]);
        assert_eq!(end(0x3000), Some(Address(0x3100)));
        assert_eq!(end(0x3100), None);
    }

    #[test]
    fn every_place_is_claimed_once() {
        let after = [
            space(SpaceKind::Old, 0, 0x1000, 0x1208),
            space(SpaceKind::Survivor, 1, 0x2000, 0x2010),
        ];
        let mut places = NewPlaces::of(&[], &after);
        for object in [0x1000, 0x1200, 0x2000, 0x2008].map(Address) {
            assert!(!places.is_claimed(object));
            assert_eq!(places.claim(object), Claim::First);
            assert_eq!(places.claim(object), Claim::Again);
            assert!(places.is_claimed(object));
            assert!(places.clear_claim(object));
            assert!(!places.clear_claim(object));
        }
        for outside in [0xFF8, 0x1208, 0x1FF8, 0x2010, 0x0, 0x7FFF_FFF8] {
            assert_eq!(places.claim(Address(outside)), Claim::Nowhere);
        }
        assert_eq!(places.claim(Address(0x1200)), Claim::First);
        places.forget_claims();
        assert!(!places.is_claimed(Address(0x1200)));
    }

    #[test]
    fn places_far_apart_are_found() {
        let mb = 1 << 20;
        let after = [
            space(SpaceKind::Old, 0, mb / 2, 5 * mb + 64),
            space(SpaceKind::Survivor, 1, 5 * mb + 128, 5 * mb + 256),
            space(SpaceKind::Survivor, 2, 9 * mb, 10 * mb),
        ];
        let places = NewPlaces::of(&[], &after);
        for space in after {
            let last = space.top.0 - 8;
            for object in [space.bottom, Address(last)] {
                assert_eq!(places.claim(object), Claim::First);
                assert_eq!(places.claim(object), Claim::Again);
            }
            assert_eq!(places.claim(space.top), Claim::Nowhere);
            assert_eq!(places.claim(Address(space.bottom.0 - 8)), Claim::Nowhere);
        }
    }

    #[test]
    fn claims_are_listed_apart() {
        let places = NewPlaces::of(&[], &[space(SpaceKind::Old, 0, 0x1_0000, 0x1_4000)]);
        let place = &places.list()[0];
        assert_eq!(places.last_claim(place), None);
        for object in [0x1_0000, 0x1_0008, 0x1_0210, 0x1_0A18, 0x1_3FF8] {
            places.claim(Address(object));
        }
        let apart: Vec<usize> = places.claims_apart(place, 0x400).map(|at| at.0).collect();
        assert_eq!(apart, [0x1_0000, 0x1_0A18, 0x1_3FF8]);
        assert_eq!(places.last_claim(place), Some(Address(0x1_3FF8)));
    }
}
