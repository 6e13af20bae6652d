//! Candidates that claim the same place as another, or memory that nothing should have moved to.

use super::Part;
use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::EvacuationWalk;
use crate::collection::evacuation::new_places::NewPlaces;
use crate::collection::survivor::Survivor;

/// The candidates in doubt.
pub(super) struct Rivals {
    /// Disputed places where an object starts, ascending, each with the number of candidates of its class and size.
    places: Vec<(Address, u32)>,
    /// Candidates that may be real, with the numbers of their parts.
    pub(super) left: Vec<(usize, Survivor)>,
    /// Start addresses of rejected candidates.
    pub(super) rejected: Vec<Address>,
}

impl Rivals {
    /// Claims the disputed places again. From here on, an open claim marks a candidate in doubt.
    pub(super) fn claim(parts: &[Part], places: &NewPlaces) -> Self {
        let again = parts.iter().flat_map(|part| &part.claimed_again);
        let mut again: Vec<Address> = again.copied().collect();
        again.retain(|to| !places.is_claimed(*to));
        again.sort_unstable();
        again.dedup();
        for to in &again {
            places.claim(*to);
        }
        Self {
            places: again.into_iter().map(|to| (to, 0)).collect(),
            left: Vec::new(),
            rejected: Vec::new(),
        }
    }

    /// Sorts the candidates in doubt (`doubtful`, by part): rejects those whose class or size differs from the object at the new place.
    ///
    /// # Safety
    /// As for [`super::scan_together`].
    pub(super) unsafe fn sort_out(
        &mut self,
        parts: &[Part],
        doubtful: &[Vec<Survivor>],
        walk: &mut EvacuationWalk<'_>,
    ) {
        for (number, (part, doubtful)) in parts.iter().zip(doubtful).enumerate() {
            for object in doubtful {
                // SAFETY: the caller upholds the same contract.
                let is_same = unsafe { walk.confirm(*object) }.is_ok();
                match self.place_of(object).filter(|_| is_same) {
                    Some(place) => {
                        self.places[place].1 += 1;
                        self.left.push((number, *object));
                    }
                    None => self.rejected.push(object.from),
                }
            }
            let nowhere = part.nowhere.iter();
            self.left.extend(nowhere.map(|object| (number, *object)));
        }
    }

    /// Whether no other candidate claims the same place.
    pub(super) fn is_alone(&self, object: &Survivor) -> bool {
        let place = self.place_of(object);
        place.is_some_and(|place| self.places[place].1 == 1)
    }

    /// Whether `settled` holds each disputed place exactly once.
    pub(super) fn are_settled(&self, mut settled: Vec<Address>) -> bool {
        settled.sort_unstable();
        settled.iter().eq(self.places.iter().map(|(to, _)| to))
    }

    fn place_of(&self, object: &Survivor) -> Option<usize> {
        let found = self.places.binary_search_by_key(&object.to, |(to, _)| *to);
        found.ok()
    }
}
