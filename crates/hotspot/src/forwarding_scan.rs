//! Who lived on in an evacuated space, and where: told from its words alone, without passing the dead.
//!
//! To walk from object to object takes a header, a class and a size of every object, and nearly all of them are dead. But a survivor's old copy starts with a
//! word that nothing else needs to be asked for: its new address, with 11 in the low two bits. So all words are compared with that pattern, a cache line or
//! more at a time, as fast as memory gives them:
//!
//! ```text
//! word     0000 0000 e3a4 7f2b       e3a4 7f28 lies where objects can have moved to
//! word+8             0000 6c38       the class here, and with it the size
//! ```
//!
//! Its new place is not looked at, that would be a miss of the caches for each: the sum of all places, classes and sizes must be that of the objects that are met there
//! ([`PlacementSum`]). Only with compact headers, where the word has taken the class's place, the class is read there.
//!
//! None can be missed. What could be taken for a survivor and is none: the elements of an array; memory that was not cleared since an earlier
//! collection, after the last object of a thread's buffer, where whole groups of former survivors stand. So:
//!
//! - Every survivor claims its new place ([`NewPlaces`]), and the objects that are there are walked ([`crate::young_coverage`]): who claims a place where none starts is no
//!   survivor.
//! - An object that is there, and no filler, has been somewhere: where one claims it, that is it. Where two do, those of another class or size are none. Where two are left, or where one says that it moved to memory in which something is new
//!   and nothing should have moved to, the objects from the last undoubted survivor on are walked: either that walk comes to the one in doubt, or it is thrown away.
//! - In the end every survivor must be met at its place, and nothing else there but fillers. So what is left over is a word that points to a filler, and
//!   stands ahead of the class and the size of that filler: of classes that only fill there are no survivors, and up to JDK 18 it would have to
//!   be an `int[]` or `java.lang.Object`.
//!
//! When a doubt is left, the spaces are walked ([`crate::piecewise_walk`]).

mod doubts;
mod pattern;
mod rivals;

use crate::address::Address;
use crate::collection_report::{AddressRange, MemoryRange};
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::lanes::{SURVIVORS_AHEAD, ask_for};
use crate::new_places::NewPlaces;
use crate::piecewise_walk::confirm_committed;
use crate::placement_sum::PlacementSum;
use crate::reservation::page_size;
use crate::space::Space;
use crate::survivor::Survivor;
use crate::survivor_list::SurvivorList;
use crate::walk_pool::WalkPool;
use crate::young_coverage::PlaceTally;
use doubts::Doubts;
use pattern::{Candidate, Pattern};
use rivals::Rivals;

/// So much a thread takes at a time.
const PIECE: usize = 1 << 20;

/// Finds the survivors of the spaces with as many threads as come to help, and claims their places. `written`: where the collector has written, ascending; `None`: anywhere.
/// `None` is given back if it cannot be told this way.
///
/// # Safety
/// The world is stopped and the evacuation has ended; the spaces are memory of the heap, and the room of the walks can be read.
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
        // SAFETY: passed on; the spaces are committed.
        move |piece: &Piece| unsafe { scan.piece(piece) }
    })?;
    Some(ScanOutcome { parts })
}

/// A part of a space.
#[derive(Debug, Clone)]
struct Piece {
    space: Space,
    /// Within these bounds, what is read; ascending.
    memory: Vec<AddressRange>,
}

/// Cuts a space.
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

/// The parts of these ranges that lie in the first one.
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

/// One thread's part.
struct Scan<'p, 'a> {
    walk: EvacuationWalk<'a>,
    places: &'p NewPlaces,
    pattern: Pattern,
    class_is_in_mark: bool,
    /// Where words fit.
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
        // SAFETY: passed on.
        unsafe { self.claiming(piece.space) }
    }

    /// Candidates that may be old copies, with claims to their new places.
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
            // SAFETY: passed on.
            true => unsafe { self.claim::<true>(&mut part) },
            // SAFETY: passed on.
            false => unsafe { self.claim::<false>(&mut part) },
        }
        part
    }

    /// Class and size are those of the old copy; where the class was in the mark word, those of what is at the new place.
    unsafe fn claim<const CLASS_IS_THERE: bool>(&mut self, part: &mut Part) {
        let top = part.space.top;
        for (number, candidate) in self.candidates.iter().enumerate() {
            if CLASS_IS_THERE && let Some(later) = self.candidates.get(number + SURVIVORS_AHEAD) {
                ask_for(later.to.0);
            }
            let Candidate { from, second, to } = *candidate;
            let Some(place) = self.places.place_of(to) else {
                // SAFETY: passed on.
                unsafe { strange(&mut self.walk, self.places, part, candidate) };
                continue;
            };
            let (old, new) = ((from, top), (to, place.limit));
            // SAFETY: passed on; memory of the heap up to the ends of what is used.
            let survivor = unsafe {
                match CLASS_IS_THERE {
                    true => self.walk.moved(old, new),
                    false => self.walk.left_behind(old, second, new),
                }
            };
            if let Some(survivor) = survivor {
                part.add(survivor, self.places.claim_in(place, to));
            }
        }
    }
}

/// A candidate that would have moved to where nothing should: is something new there, of the same class and size?
#[cold]
unsafe fn strange(
    walk: &mut EvacuationWalk<'_>,
    places: &NewPlaces,
    part: &mut Part,
    candidate: &Candidate,
) {
    let Candidate { from, to, .. } = *candidate;
    let limit = places.end_of_strange(to);
    // SAFETY: passed on; memory of the heap up to the ends of what is used.
    let same = limit.and_then(|limit| unsafe { walk.moved((from, part.space.top), (to, limit)) });
    part.nowhere.extend(same);
}

/// What was found, with its doubts.
#[derive(Debug, Default)]
pub(crate) struct ScanOutcome {
    /// In the order of the spaces; those of a space ascending.
    parts: Vec<Part>,
}

/// What was found in a piece.
#[derive(Debug)]
struct Part {
    space: Space,
    /// Ascending by `from`.
    survivors: Vec<Survivor>,
    /// Pages that they start in, and the last of these.
    pages: usize,
    last_page: usize,
    page_bits: u32,
    /// Of all these.
    sum: PlacementSum,
    /// New places that others have claimed before.
    claimed_again: Vec<Address>,
    /// What would have moved to where nothing should, and where something is new; not among the survivors.
    nowhere: Vec<Survivor>,
}

impl Part {
    /// One more; `is_first`: no other claims its place.
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

    /// Throws survivors away.
    fn lose(&mut self, is_none: impl Fn(&Survivor) -> bool) {
        let sum = &mut self.sum;
        self.survivors.retain(|survivor| {
            let is_lost = is_none(survivor);
            if is_lost {
                sum.take_away(survivor.to, survivor.class, survivor.bytes() as usize);
            }
            !is_lost
        });
        (self.pages, self.last_page) = (0, 0);
        for number in 0..self.survivors.len() {
            self.count_page(self.survivors[number].from);
        }
    }
}

impl ScanOutcome {
    /// Throws away what is no survivor, when the objects at the new places have been met. `None`: a doubt is left.
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
            // SAFETY: passed on.
            unsafe { self.look_into_doubts(places, pool, walk) }?;
        }
        if !met.is_all(self.count() as u64, self.sum(), walk.classes()) {
            // SAFETY: passed on.
            unsafe { self.let_fillers_go(places, &mut met, walk) }?;
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

    /// Of all survivors.
    fn sum(&self) -> PlacementSum {
        let mut sum = PlacementSum::default();
        self.parts.iter().for_each(|part| sum.join(part.sum));
        sum
    }

    /// Of those that claim the same place, keeps the one where an object starts; of those that claim a place where none was met, none.
    unsafe fn look_into_doubts(
        &mut self,
        places: &NewPlaces,
        pool: &WalkPool,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<()> {
        let mut rivals = Rivals::claim(&self.parts, places);
        let doubtful = self.doubtful(places, pool)?;
        // SAFETY: passed on.
        unsafe { rivals.take(&self.parts, &doubtful, walk) };
        let mut doubts = Doubts::new(&self.parts, &doubtful);
        let mut none = std::mem::take(&mut rivals.none);
        let mut settled = Vec::new();
        for (number, object) in &rivals.left {
            let is_alone = rivals.is_alone(object);
            // SAFETY: passed on.
            match is_alone || unsafe { doubts.is_object(walk, *number, object.from) }? {
                true => settled.push(object.to),
                false => none.push(object.from),
            }
        }
        none.sort_unstable();
        let is_none = |survivor: &Survivor| none.binary_search(&survivor.from).is_ok();
        for (part, doubtful) in self.parts.iter_mut().zip(&doubtful) {
            if doubtful.iter().any(is_none) {
                part.lose(is_none);
            }
        }
        // Nothing has moved to where nothing should, either.
        rivals.are_settled(settled).then_some(())
    }

    /// Throws those away that claim a filler and are of another class or size.
    #[cold]
    unsafe fn let_fillers_go(
        &mut self,
        places: &NewPlaces,
        met: &mut PlaceTally,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<()> {
        for part in &mut self.parts {
            let mut none = Vec::new();
            for survivor in &part.survivors {
                // SAFETY: passed on; an object was met there.
                unsafe {
                    if walk.confirm(*survivor).is_err() {
                        let end = places.place_of(survivor.to)?.limit;
                        let filler = walk.old_copy(survivor.to, end).ok()?;
                        let class = filler.class.id;
                        met.let_filler_go(survivor.to, class, filler.bytes, walk.classes())?;
                        none.push(survivor.from);
                    }
                }
            }
            if !none.is_empty() {
                part.lose(|survivor| none.binary_search(&survivor.from).is_ok());
            }
        }
        Some(())
    }

    /// The survivors of each part with claims that are left.
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
