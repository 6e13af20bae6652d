//! Decides whether an object really starts where a word looks like an old copy.

use std::ops::Range;

use super::Part;
use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::EvacuationWalk;
use crate::collection::survivor::Survivor;

/// Bytes that may be walked for doubts in one pause.
const MOST_WALKED: usize = 16 << 20;

/// Decides doubts by walking.
pub(super) struct Doubts<'s> {
    parts: &'s [Part],
    /// Candidates in doubt of each part, ascending.
    doubtful: &'s [Vec<Survivor>],
    /// The object walked last.
    walked: Range<Address>,
    /// Bytes that may still be walked.
    left: usize,
}

impl<'s> Doubts<'s> {
    /// `doubtful`: candidates in doubt of each part, ascending.
    pub(super) fn new(parts: &'s [Part], doubtful: &'s [Vec<Survivor>]) -> Self {
        Self {
            parts,
            doubtful,
            walked: Address::NULL..Address::NULL,
            left: MOST_WALKED,
        }
    }

    /// Whether an object of this part starts at `object`. The walk starts at the last undisputed survivor before it, at the start of the
    /// space, or where the previous walk ended. Returns `None` if the memory cannot be walked.
    ///
    /// # Safety
    /// As for [`super::scan_together`].
    pub(super) unsafe fn is_object(
        &mut self,
        walk: &mut EvacuationWalk<'_>,
        part: usize,
        object: Address,
    ) -> Option<bool> {
        if self.walked.contains(&object) {
            return Some(self.walked.start == object);
        }
        let space = self.parts.get(part)?.space;
        let mut at = self.certain_before(part, object).unwrap_or(space.bottom);
        if self.walked.end <= object {
            at = at.max(self.walked.end);
        }
        self.left = self.left.checked_sub(object.above(at))?;
        loop {
            // SAFETY: an object starts at `at`, in a committed space.
            let bytes = unsafe { walk.old_copy(at, space.top) }.ok()?.bytes;
            self.walked = at..at.plus(bytes);
            if self.walked.contains(&object) {
                return Some(at == object);
            }
            at = self.walked.end;
        }
    }

    /// The start of the last undisputed survivor before `object` in the same space.
    fn certain_before(&self, part: usize, object: Address) -> Option<Address> {
        let space = self.parts.get(part)?.space;
        let parts = self.parts.iter().zip(self.doubtful).take(part + 1).rev();
        let of_space = parts.take_while(|(part, _)| part.space == space);
        let mut certain = of_space.filter_map(|(part, doubtful)| {
            let before = part.survivors.partition_point(|one| one.from < object);
            let mut descending = part.survivors.get(..before)?.iter().rev();
            let is_certain = |one: &&Survivor| {
                doubtful
                    .binary_search_by_key(&one.from, |other| other.from)
                    .is_err()
            };
            descending.find(is_certain)
        });
        certain.next().map(|survivor| survivor.from)
    }
}
