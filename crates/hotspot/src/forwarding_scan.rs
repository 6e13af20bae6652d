//! Who lived on in an evacuated space, and where: told from its words alone, without passing the dead.
//!
//! To walk from object to object takes a header, a class and a size of every object, and nearly all of them are dead. But a survivor's old copy starts with a
//! word that nothing else needs to be asked for: its new address, with 11 in the low two bits. So all words are compared with that pattern, a cache line or
//! more at a time, as fast as memory gives them:
//!
//! ```text
//! word     0000 0000 e3a4 7f2b       e3a4 7f28 lies where objects can have moved to
//! word+8             0000 6c38       the class there is the class here, the size there is the size here
//! ```
//!
//! None can be missed. What could be taken for a survivor and is none: the elements of an array; memory that nobody has cleared since an earlier
//! collection, behind the last object of a thread's buffer, where whole groups of former survivors stand. So:
//!
//! - Every survivor claims its new place ([`NewPlaces`]), and the objects that are there are walked ([`crate::young_coverage`]): who claims a place where none starts is no
//!   survivor.
//! - An object that is there, and no filler, has been somewhere: where one claims it, that is it. Where two do, or where one says that it moved to memory in which something is new
//!   and nothing should have moved to, the objects from the last undoubted survivor on are walked: either that walk comes to the one in doubt, or it is thrown away.
//! - In the end every survivor must be met at its place, and nothing else there but fillers. So what is left over is a word that points to a filler, and
//!   stands ahead of the class and the size of that filler: of classes that only fill there are no survivors, and up to JDK 18 it would have to
//!   be an `int[]` or `java.lang.Object`.
//!
//! When a doubt is left, the spaces are walked ([`crate::piecewise_walk`]).

mod doubts;
mod pattern;

use std::mem::MaybeUninit;
use std::sync::Mutex;

use crate::address::Address;
use crate::collection_report::{AddressRange, Survivor};
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::heap_spaces::Space;
use crate::lanes::{SURVIVORS_AHEAD, ask_for};
use crate::new_places::NewPlaces;
use crate::object_header::forwarded_to;
use crate::piecewise_walk::confirm_committed;
use crate::reservation::page_size;
use crate::walk_pool::WalkPool;
use crate::young_coverage::Met;
use doubts::Doubts;
use pattern::{BLOCK_BYTES, Pattern};

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
) -> Option<Scanned> {
    confirm_committed(spaces).ok()?;
    let Some(bounds) = places.bounds() else {
        // Nothing has moved.
        return Some(Scanned::default());
    };
    let pieces: Vec<Piece> = spaces
        .iter()
        .flat_map(|space| pieces(space, written))
        .collect();
    let parts = pool.map(&pieces, || {
        let mut scan = Scan {
            walk: new_walk(),
            places,
            pattern: Pattern::of(bounds),
            candidates: Vec::new(),
        };
        // SAFETY: passed on; the spaces are committed.
        move |piece: &Piece| unsafe { scan.piece(piece) }
    })?;
    Some(Scanned { parts })
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
    /// Where words fit, and which.
    candidates: Vec<(Address, Address)>,
}

impl Scan<'_, '_> {
    /// # Safety
    /// As for [`scan_together`].
    unsafe fn piece(&mut self, piece: &Piece) -> Part {
        self.candidates.clear();
        for memory in &piece.memory {
            let (mut at, stop) = (memory.start.0, memory.end.0);
            while at < stop {
                // SAFETY: the piece is committed memory of a stopped heap.
                at = unsafe { self.pattern.next_block(at, stop) };
                for word_at in (at..(at + BLOCK_BYTES).min(stop)).step_by(8).map(Address) {
                    // SAFETY: as above.
                    let word: u64 = unsafe { word_at.read() };
                    if self.pattern.fits(word)
                        && let Some(to) = forwarded_to(word)
                    {
                        self.candidates.push((word_at, to));
                    }
                }
                at += BLOCK_BYTES;
            }
        }
        // SAFETY: passed on.
        unsafe { self.confirmed(piece.space) }
    }

    /// Candidates that have the same class and size at their new places, which they claim.
    unsafe fn confirmed(&mut self, space: Space) -> Part {
        let mut part = Part {
            space,
            survivors: Vec::with_capacity(self.candidates.len()),
            pages: 0,
            claimed_again: Vec::new(),
            nowhere: Vec::new(),
        };
        let (page, mut last_page) = (page_size(), 0);
        for (number, &(from, to)) in self.candidates.iter().enumerate() {
            if let Some((_, later)) = self.candidates.get(number + SURVIVORS_AHEAD) {
                ask_for(later.0);
            }
            let place = self.places.place_of(to);
            let limit = place.map(|place| place.limit);
            let Some(limit) = limit.or_else(|| self.places.end_of_strange(to)) else {
                continue;
            };
            // SAFETY: passed on; memory of the heap up to the ends of what is used.
            let Some(survivor) = (unsafe { self.walk.moved((from, space.top), (to, limit)) })
            else {
                continue;
            };
            match place {
                Some(place) => {
                    part.survivors.push(survivor);
                    if !self.places.claim_in(place, to) {
                        part.claimed_again.push(to);
                    }
                }
                None => part.nowhere.push(survivor),
            }
            part.pages += usize::from(from.0 / page != last_page);
            last_page = from.0 / page;
        }
        part
    }
}

/// What was found, with its doubts.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// In the order of the spaces; those of a space ascending.
    parts: Vec<Part>,
}

/// What was found in a piece.
#[derive(Debug)]
struct Part {
    space: Space,
    /// Ascending by `from`.
    survivors: Vec<Survivor>,
    /// Pages that they start in.
    pages: usize,
    /// New places that others have claimed before.
    claimed_again: Vec<Address>,
    /// What would have moved to where nothing should, and where something is new; not among the survivors.
    nowhere: Vec<Survivor>,
}

impl Scanned {
    /// Throws away what is no survivor, when the objects at the new places have been met. `None`: a doubt is left.
    ///
    /// # Safety
    /// As for [`scan_together`].
    pub(crate) unsafe fn settle(
        mut self,
        places: &NewPlaces,
        met: &Met,
        pool: &WalkPool,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<Evacuated> {
        let seen = self.count();
        let is_nowhere = |part: &Part| !part.nowhere.is_empty();
        if seen as u64 != met.claimed() || self.parts.iter().any(is_nowhere) {
            // SAFETY: passed on.
            unsafe { self.look_into_doubts(places, pool, walk) }?;
        }
        let count = self.count();
        if !met.is_all(count as u64, walk.classes()) {
            return None;
        }
        Some(Evacuated {
            doubted: (seen - count) as u64,
            pages: self.parts.iter().map(|part| part.pages).sum(),
            survivors: self.join(pool)?,
            ..Evacuated::default()
        })
    }

    fn count(&self) -> usize {
        self.parts.iter().map(|part| part.survivors.len()).sum()
    }

    /// Of those that claim the same place, keeps the one where an object starts; of those that claim a place where none was met, none.
    unsafe fn look_into_doubts(
        &mut self,
        places: &NewPlaces,
        pool: &WalkPool,
        walk: &mut EvacuationWalk<'_>,
    ) -> Option<()> {
        let again = self.parts.iter().flat_map(|part| &part.claimed_again);
        let mut again: Vec<Address> = again.copied().collect();
        again.retain(|to| !places.is_claimed(*to));
        again.sort_unstable();
        again.dedup();
        // From here on the claims that are left are those in doubt.
        for to in &again {
            places.claim(*to);
        }
        let bytes = self.count() * size_of::<Survivor>();
        let doubtful = pool.map_bytes(bytes, &self.parts, || {
            |part: &Part| {
                let survivors = part.survivors.iter();
                let doubtful = survivors.filter(|survivor| places.is_claimed(survivor.to));
                doubtful.copied().collect::<Vec<Survivor>>()
            }
        })?;
        let mut doubts = Doubts::new(&self.parts, &doubtful);
        let mut none = Vec::new();
        let mut settled = Vec::new();
        for (number, (part, doubtful)) in self.parts.iter().zip(&doubtful).enumerate() {
            for object in doubtful.iter().chain(&part.nowhere) {
                let is_met = again.binary_search(&object.to).is_ok();
                let may_be = is_met || part.nowhere.contains(object);
                // SAFETY: passed on.
                match may_be && unsafe { doubts.is_object(walk, number, object.from) }? {
                    true => settled.push(object.to),
                    false => none.push(object.from),
                }
            }
        }
        none.sort_unstable();
        let is_none = |survivor: &Survivor| none.binary_search(&survivor.from).is_ok();
        for (part, doubtful) in self.parts.iter_mut().zip(&doubtful) {
            if doubtful.iter().any(is_none) {
                part.survivors.retain(|survivor| !is_none(survivor));
            }
        }
        settled.sort_unstable();
        // One for each place, and nothing that has moved to where nothing should.
        (settled == again).then_some(())
    }

    /// All survivors as one list.
    fn join(self, pool: &WalkPool) -> Option<Vec<Survivor>> {
        let count = self.count();
        let mut all: Vec<Survivor> = Vec::with_capacity(count);
        let mut rest = all.spare_capacity_mut();
        let mut copies = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (target, behind) = rest.split_at_mut_checked(part.survivors.len())?;
            copies.push(Mutex::new((target, part.survivors.as_slice())));
            rest = behind;
        }
        pool.map_bytes(count * size_of::<Survivor>(), &copies, || copy_survivors)?;
        drop(copies);
        // SAFETY: the copies, all of which were made, fill so many.
        unsafe { all.set_len(count) };
        Some(all)
    }
}

/// A stretch of a list, and what it is to hold.
type Copying<'s> = Mutex<(&'s mut [MaybeUninit<Survivor>], &'s [Survivor])>;

fn copy_survivors(copying: &Copying<'_>) {
    let (target, source) = &mut *copying.lock().unwrap_or_else(|lock| lock.into_inner());
    target.write_copy_of_slice(source);
}

#[cfg(test)]
mod tests;
