//! What claims a place that another claims too, or memory where nothing should have moved.

use super::Part;
use crate::address::Address;
use crate::evacuation_walk::EvacuationWalk;
use crate::new_places::NewPlaces;
use crate::survivor::Survivor;

/// The rivals.
pub(super) struct Rivals {
    /// Places where an object was met that several claim, ascending, and how many of these have its class and size.
    places: Vec<(Address, u32)>,
    /// Who may be the one, with the numbers of the parts.
    pub(super) left: Vec<(usize, Survivor)>,
    /// Where those start that are none.
    pub(super) none: Vec<Address>,
}

impl Rivals {
    /// For places that others have claimed before. From here on the claims that are left are those in doubt.
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
            none: Vec::new(),
        }
    }

    /// Takes those in doubt, `doubtful` of each part, and leaves out what is of another class or size than the object that was met.
    ///
    /// # Safety
    /// As for [`super::scan_together`].
    pub(super) unsafe fn take(
        &mut self,
        parts: &[Part],
        doubtful: &[Vec<Survivor>],
        walk: &mut EvacuationWalk<'_>,
    ) {
        for (number, (part, doubtful)) in parts.iter().zip(doubtful).enumerate() {
            for object in doubtful {
                // SAFETY: passed on.
                let is_same = unsafe { walk.confirm(*object) }.is_ok();
                match self.place_of(object).filter(|_| is_same) {
                    Some(place) => {
                        self.places[place].1 += 1;
                        self.left.push((number, *object));
                    }
                    None => self.none.push(object.from),
                }
            }
            let nowhere = part.nowhere.iter();
            self.left.extend(nowhere.map(|object| (number, *object)));
        }
    }

    /// No other claim is for its new place.
    pub(super) fn is_alone(&self, object: &Survivor) -> bool {
        let place = self.place_of(object);
        place.is_some_and(|place| self.places[place].1 == 1)
    }

    /// Are these the places, one for each?
    pub(super) fn are_settled(&self, mut settled: Vec<Address>) -> bool {
        settled.sort_unstable();
        settled.iter().eq(self.places.iter().map(|(to, _)| to))
    }

    fn place_of(&self, object: &Survivor) -> Option<usize> {
        let found = self.places.binary_search_by_key(&object.to, |(to, _)| *to);
        found.ok()
    }
}
