//! Finds the survivors of an evacuated space, and where they moved to, by scanning its words instead of walking its dead objects.
//!
//! A walk needs the header, the class and the size of every object, and nearly all objects are dead. The old copy of a survivor, however,
//! starts with a word that identifies itself: its new address, with 11 in the low two bits. So all words are compared with that pattern, a
//! cache line or more at a time, at the speed of memory:
//!
//! ```text
//! word     0000 0000 e3a4 7f2b       e3a4 7f28 lies in memory that objects can have moved to
//! word+8             0000 6c38       the class, and with it the size
//! ```
//!
//! The new place is not read, because that would cost a cache miss per survivor. Instead, the sum over places, classes and sizes must equal
//! that of the objects found there ([`PlacementSum`]). With compact headers the forwarding address has overwritten the class, so there the
//! class is read at the new place.
//!
//! The scan misses no survivor, but some words look like one: elements of an array, and memory that was not cleared since an earlier
//! collection (the unused end of a TLAB), which can hold whole groups of former survivors. Therefore:
//!
//! - Every survivor claims its new place ([`NewPlaces`]), and the objects there are walked ([`super::young_coverage`]). A claim to a place
//!   where no object starts is rejected.
//! - An object at a new place that is not a filler must have moved there. If one candidate claims the place, it is that object. If several
//!   do, those of another class or size are rejected. If several remain, or if a candidate claims memory that changed but that nothing
//!   should have moved to, the objects are walked from the last undisputed survivor on, and the candidate is kept only if that walk reaches
//!   it.
//! - At the end every survivor must have been found at its place, and nothing else but fillers. The remaining error is a word that points
//!   to a filler and stands before the class and size of that filler. Classes used only for fillers have no survivors; up to JDK 18 the
//!   filler would have to be an `int[]` or a `java.lang.Object`.
//!
//! If a doubt remains, the spaces are walked instead ([`super::piecewise_walk`]).

mod doubts;
mod pattern;
mod rivals;

use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::lanes::{SURVIVORS_AHEAD, prefetch};
use crate::collection::evacuation::new_places::NewPlaces;
use crate::collection::evacuation::piecewise_walk::confirm_committed;
use crate::collection::evacuation::placement_sum::PlacementSum;
use crate::collection::evacuation::young_coverage::PlaceTally;
use crate::collection::survivor::Survivor;
use crate::collection::survivor_list::SurvivorList;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::heap::space::Space;
use crate::process::page_size::page_size;
use crate::process::walk_pool::WalkPool;
use doubts::Doubts;
use pattern::{Candidate, Pattern};
use rivals::Rivals;

/// Bytes that a thread takes at a time.
const PIECE: usize = 1 << 20;

/// Finds the survivors of the spaces, on this thread and the pool threads that join, and claims their places. `written` is the memory that
/// the collector has written, ascending; `None` means anywhere. Returns `None` if the spaces have to be walked instead.
///
/// # Safety
/// The world must be stopped and the evacuation ended. The spaces must be memory of the heap, and the room of the walks must be readable.
pub(crate) unsafe fn scan_together<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    written: Option<&[AddressRange]>,
    places: &NewPlaces,
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Option<ScanOutcome> {
    confirm_committed(spaces).ok()?;
    let Some(bounds) = places.bounds() else {
        // Nothing has moved.
        return Some(ScanOutcome::default());
    };
    let pieces: Vec<Piece> = spaces
        .iter()
        .flat_map(|space| pieces(space, written))
        .collect();
    let parts = pool.map(&pieces, || {
        let walk = new_walk();
        let mut scan = Scan {
            class_is_in_mark: walk.sizes().header().class_is_in_mark(),
            walk,
            places,
            pattern: Pattern::of(bounds),
            candidates: Vec::new(),
        };
        // SAFETY: the caller upholds the same contract; `confirm_committed` has checked the spaces.
        move |piece: &Piece| unsafe { scan.piece(piece) }
    })?;
    Some(ScanOutcome { parts })
}

/// A part of a space.
#[derive(Debug, Clone)]
struct Piece {
    space: Space,
    /// The memory to read within these bounds; ascending.
    memory: Vec<AddressRange>,
}

/// Cuts a space into pieces.
fn pieces(space: &Space, written: Option<&[AddressRange]>) -> impl Iterator<Item = Piece> {
    let space = *space;
    let parts = AddressRange::from(&space).parts(PIECE);
    parts.filter_map(move |part| {
        let memory = match written {
            None => vec![part],
            Some(written) => within(part, written),
        };
        (!memory.is_empty()).then_some(Piece { space, memory })
    })
}

/// The parts of `ranges` inside `whole`.
fn within(whole: AddressRange, ranges: &[AddressRange]) -> Vec<AddressRange> {
    let first = ranges.partition_point(|range| range.end <= whole.start);
    let from_there = ranges.iter().skip(first);
    let inside = from_there.take_while(|range| range.start < whole.end);
    inside
        .map(|range| AddressRange {
            start: range.start.max(whole.start),
            end: range.end.min(whole.end),
        })
        .collect()
}

/// The scan of one thread.
struct Scan<'p, 'a> {
    walk: EvacuationWalk<'a>,
    places: &'p NewPlaces,
    pattern: Pattern,
    class_is_in_mark: bool,
    /// Words that match the pattern.
    candidates: Vec<Candidate>,
}

impl Scan<'_, '_> {
    /// # Safety
    /// As for [`scan_together`].
    unsafe fn piece(&mut self, piece: &Piece) -> Part {
        self.candidates.clear();
        for memory in &piece.memory {
            let memory = memory.start.0..memory.end.0;
            let top = piece.space.top.0;
            // SAFETY: the piece is committed memory of a stopped heap.
            unsafe { self.pattern.find(memory, top, &mut self.candidates) };
        }
        // SAFETY: the caller upholds the same contract.
        unsafe { self.claiming(piece.space) }
    }

    /// Keeps the candidates that may be old copies, and claims their new places.
    unsafe fn claiming(&mut self, space: Space) -> Part {
        let mut part = Part {
            space,
            survivors: Vec::with_capacity(self.candidates.len()),
            pages: 0,
            last_page: 0,
            page_bits: page_size().trailing_zeros(),
            sum: PlacementSum::default(),
            claimed_again: Vec::new(),
            nowhere: Vec::new(),
        };
        match self.class_is_in_mark {
            // SAFETY: the caller upholds the same contract.
            true => unsafe { self.claim::<true>(&mut part) },
            // SAFETY: the caller upholds the same contract.
            false => unsafe { self.claim::<false>(&mut part) },
        }
        part
    }

    /// Class and size come from the old copy, or from the new place if the mark word held the class.
    unsafe fn claim<const CLASS_IS_THERE: bool>(&mut self, part: &mut Part) {
        let top = part.space.top;
        for (number, candidate) in self.candidates.iter().enumerate() {
            if CLASS_IS_THERE && let Some(later) = self.candidates.get(number + SURVIVORS_AHEAD) {
                prefetch(later.to.0);
            }
            let Candidate { from, second, to } = *candidate;
            let Some(place) = self.places.place_of(to) else {
                // SAFETY: the caller upholds the same contract.
                unsafe { strange(&mut self.walk, self.places, part, candidate) };
                continue;
            };
            let (old, new) = ((from, top), (to, place.limit));
            // SAFETY: the caller upholds the same contract; both ends bound used memory of the heap.
            let survivor = unsafe {
                match CLASS_IS_THERE {
                    true => self.walk.moved(old, new),
                    false => self.walk.survivor_by_old_copy(old, second, new),
                }
            };
            if let Some(survivor) = survivor {
                part.add(survivor, self.places.claim_in(place, to));
            }
        }
    }
}

/// A candidate whose target lies where nothing should have moved to. Kept if something new with the same class and size is there.
#[cold]
unsafe fn strange(
    walk: &mut EvacuationWalk<'_>,
    places: &NewPlaces,
    part: &mut Part,
    candidate: &Candidate,
) {
    let Candidate { from, to, .. } = *candidate;
    let limit = places.end_of_unexpected(to);
    // SAFETY: the caller upholds the same contract; both ends bound used memory of the heap.
    let same = limit.and_then(|limit| unsafe { walk.moved((from, part.space.top), (to, limit)) });
    part.nowhere.extend(same);
}

/// Survivors found by the scan, with open doubts.
#[derive(Debug, Default)]
pub(crate) struct ScanOutcome {
    /// In the order of the spaces; ascending within each.
    parts: Vec<Part>,
}

/// Survivors found in one piece.
#[derive(Debug)]
struct Part {
    space: Space,
    /// Ascending by `from`.
    survivors: Vec<Survivor>,
    /// Pages in which survivors start, and the last of these pages.
    pages: usize,
    last_page: usize,
    page_bits: u32,
    /// Over all survivors.
    sum: PlacementSum,
    /// New places that another candidate had claimed before.
    claimed_again: Vec<Address>,
    /// Candidates that would have moved to changed memory that nothing should move to. Not among the survivors.
    nowhere: Vec<Survivor>,
}

impl Part {
    /// Adds a survivor. `is_first`: no other claims its place.
    #[inline(always)]
    fn add(&mut self, survivor: Survivor, is_first: bool) {
        self.survivors.push(survivor);
        self.sum.add(&survivor);
        self.count_page(survivor.from);
        if !is_first {
            self.claimed_again.push(survivor.to);
        }
    }

    #[inline(always)]
    fn count_page(&mut self, from: Address) {
        let page = from.0 >> self.page_bits;
        self.pages += usize::from(page != self.last_page);
        self.last_page = page;
    }

    /// Removes the survivors that are rejected.
    fn discard(&mut self, is_rejected: impl Fn(&Survivor) -> bool) {
        let sum = &mut self.sum;
        self.survivors.retain(|survivor| {
            let is_removed = is_rejected(survivor);
            if is_removed {
                sum.take_away(survivor.to, survivor.class, survivor.bytes() as usize);
            }
            !is_removed
        });
        (self.pages, self.last_page) = (0, 0);
        for number in 0..self.survivors.len() {
            self.count_page(self.survivors[number].from);
        }
    }
}

impl ScanOutcome {
    /// Removes false survivors, after the objects at the new places have been walked. Returns `None` if a doubt remains.
    ///
    /// # Safety
    /// As for [`scan_together`].
    pub(crate) unsafe fn settle(
        mut self,
        places: &NewPlaces,
        mut met: PlaceTally,
        pool: &WalkPool,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<Evacuated> {
        let seen = self.count();
        let is_nowhere = |part: &Part| !part.nowhere.is_empty();
        if seen as u64 != met.claimed() || self.parts.iter().any(is_nowhere) {
            // SAFETY: the caller upholds the same contract.
            unsafe { self.resolve_doubts(places, pool, walk) }?;
        }
        if !met.is_all(self.count() as u64, self.sum(), walk.classes()) {
            // SAFETY: the caller upholds the same contract.
            unsafe { self.reclassify_fillers(places, &mut met, walk) }?;
        }
        let count = self.count();
        if !met.is_all(count as u64, self.sum(), walk.classes()) {
            return None;
        }
        Some(Evacuated {
            doubted: (seen - count) as u64,
            pages: self.parts.iter().map(|part| part.pages).sum(),
            scanned: self.into_survivors(),
            ..Evacuated::default()
        })
    }

    fn into_survivors(self) -> SurvivorList {
        let parts = self.parts.into_iter().map(|part| part.survivors);
        SurvivorList::of_parts(parts.filter(|part| !part.is_empty()).collect())
    }

    fn count(&self) -> usize {
        self.parts.iter().map(|part| part.survivors.len()).sum()
    }

    /// Over all survivors.
    fn sum(&self) -> PlacementSum {
        let mut sum = PlacementSum::default();
        self.parts.iter().for_each(|part| sum.join(part.sum));
        sum
    }

    /// Keeps the one candidate per disputed place that is an object. Rejects candidates for places where no object starts.
    unsafe fn resolve_doubts(
        &mut self,
        places: &NewPlaces,
        pool: &WalkPool,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<()> {
        let mut rivals = Rivals::claim(&self.parts, places);
        let doubtful = self.doubtful(places, pool)?;
        // SAFETY: the caller upholds the same contract.
        unsafe { rivals.sort_out(&self.parts, &doubtful, walk) };
        let mut doubts = Doubts::new(&self.parts, &doubtful);
        let mut rejected = std::mem::take(&mut rivals.rejected);
        let mut settled = Vec::new();
        for (number, object) in &rivals.left {
            let is_alone = rivals.is_alone(object);
            // SAFETY: the caller upholds the same contract.
            match is_alone || unsafe { doubts.is_object(walk, *number, object.from) }? {
                true => settled.push(object.to),
                false => rejected.push(object.from),
            }
        }
        rejected.sort_unstable();
        let is_rejected = |survivor: &Survivor| rejected.binary_search(&survivor.from).is_ok();
        for (part, doubtful) in self.parts.iter_mut().zip(&doubtful) {
            if doubtful.iter().any(is_rejected) {
                part.discard(is_rejected);
            }
        }
        // This also checks that nothing moved to memory that nothing should move to.
        rivals.are_settled(settled).then_some(())
    }

    /// Removes survivors that claim a filler of another class or size.
    #[cold]
    unsafe fn reclassify_fillers(
        &mut self,
        places: &NewPlaces,
        met: &mut PlaceTally,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<()> {
        for part in &mut self.parts {
            let mut rejected = Vec::new();
            for survivor in &part.survivors {
                // SAFETY: the caller upholds the same contract; an object was found at each claimed place.
                unsafe {
                    if walk.confirm(*survivor).is_err() {
                        let end = places.place_of(survivor.to)?.limit;
                        let filler = walk.old_copy(survivor.to, end).ok()?;
                        let class = filler.class.id;
                        met.reclassify_filler(survivor.to, class, filler.bytes, walk.classes())?;
                        rejected.push(survivor.from);
                    }
                }
            }
            if !rejected.is_empty() {
                part.discard(|survivor| rejected.binary_search(&survivor.from).is_ok());
            }
        }
        Some(())
    }

    /// The survivors of each part whose claims are still open.
    fn doubtful(&self, places: &NewPlaces, pool: &WalkPool) -> Option<Vec<Vec<Survivor>>> {
        let bytes = self.count() * size_of::<Survivor>();
        pool.map_bytes(bytes, &self.parts, || {
            |part: &Part| {
                let survivors = part.survivors.iter();
                let doubtful = survivors.filter(|survivor| places.is_claimed(survivor.to));
                doubtful.copied().collect()
            }
        })
    }
}

#[cfg(test)]
mod tests;
