//! Evacuated spaces walked in pieces, by all threads and in several lanes of each.
//!
//! Eden of Serial and Parallel is one space of hundreds of megabytes, and nothing tells where in the middle of it an object starts. So that is guessed: the
//! first place after a cut that has the mark word of an object, and from which a number of objects can be passed. A guess is no knowledge: array elements and
//! memory that was not cleared can look like objects. What makes the walk exact is that pieces must fit together:
//!
//! ```text
//! cut             |                          |                          |
//! piece 0  [obj][obj][ obj ]                 |                          |     ends at A, the first end of an object after the cut
//! piece 1                 A[obj][obj] ... [an array that looks like objects]  guessed to start at A: it fits, and ends at C
//! piece 2                                    |  B[fake][fake] ...   C   |     guessed to start at B: thrown away, walked again from C on
//! ```
//!
//! The first piece starts where the space does; a piece whose start is the end of an accepted one is accepted; all others are walked again from where the
//! accepted ones end. So the outcome is that of one walk from bottom to top. What fails in a piece that is thrown away has not happened.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::address::Address;
use crate::careful_read::readable;
use crate::collection_report::{AddressRange, MemoryRange, MovesFault};
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::lanes::{NotCounted, Stretches, walk_in_lanes};
use crate::space::Space;
use crate::stretch::{Stretch, WalkedStretch};
use crate::walk_pool::WalkPool;

/// Sizes of pieces: small ones keep every lane of every thread busy to the end, large ones need few guesses.
const SMALLEST_PIECE: usize = 128 << 10;
const LARGEST_PIECE: usize = 512 << 10;
/// As many pieces as this for each thread, if they are not too small or too large then.
const PIECES_FOR_EACH: usize = 32;
/// A space of at most this many pieces is left whole: that needs no guess.
const LEFT_WHOLE: usize = 2;

/// Objects that must be passed from a guessed start on.
const TRIED: usize = 24;

/// A part of a space between two cuts.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Which of the spaces.
    place: usize,
    cut: Address,
    next_cut: Address,
}

/// Walks spaces with as many threads as come to help, each with a walk of its own. Survivors are in the order of the spaces.
///
/// # Safety
/// The world is stopped; the spaces are memory of the heap, and the room of the walks can be read.
pub(crate) unsafe fn walk_together<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<Evacuated, MovesFault> {
    confirm_committed(spaces)?;
    // SAFETY: passed on; all spaces are committed.
    let passed = unsafe { walk_by_space(pool, spaces, &new_walk) }?;
    let mut all = Evacuated::default();
    let survivors = passed.iter().flatten();
    let survivors = survivors.map(|passed| passed.survivors.len()).sum();
    all.survivors.reserve_exact(survivors);
    let mut walk = new_walk();
    for (space, of_space) in spaces.iter().zip(passed) {
        // SAFETY: passed on.
        unsafe {
            walk.or_former_classes(space, &mut all, |walk, all| {
                join(walk, space, of_space, all)
            })
        }?;
    }
    Ok(all)
}

/// The same with an outcome for each space, and with the current classes only in young ones: in these a walk that fails is one at the wrong moment.
///
/// # Safety
/// As for [`walk_together`].
pub(crate) unsafe fn walk_each<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<Vec<Evacuated>, MovesFault> {
    // SAFETY: passed on.
    let passed = unsafe { walk_by_space(pool, spaces, &new_walk) }?;
    let mut walk = new_walk();
    let each = spaces.iter().zip(passed).map(|(space, of_space)| {
        let mut found = Evacuated::default();
        // SAFETY: passed on.
        unsafe {
            if space.kind.is_young() {
                join(&mut walk, space, of_space, &mut found)?;
            } else {
                walk.or_former_classes(space, &mut found, |walk, found| {
                    join(walk, space, of_space, found)
                })?;
            }
        }
        Ok(found)
    });
    each.collect()
}

/// Walks the pieces of all spaces; those of each, in their order.
unsafe fn walk_by_space<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
) -> Result<Vec<Vec<WalkedStretch>>, MovesFault> {
    let pieces = pieces(spaces, pool.threads());
    let mut by_space: Vec<Vec<WalkedStretch>> = spaces.iter().map(|_| Vec::new()).collect();
    // SAFETY: passed on.
    for passed in unsafe { walk_pieces(pool, spaces, &pieces, new_walk) }? {
        let piece = pieces.get(passed.stretch.number);
        if let Some(of_space) = piece.and_then(|piece| by_space.get_mut(piece.place)) {
            of_space.push(passed);
        }
    }
    Ok(by_space)
}

/// Collectors give memory back from the end of a space, or region by region: when its first and its last byte are there, all of it is.
pub(crate) fn confirm_committed(spaces: &[Space]) -> Result<(), MovesFault> {
    let ends: Vec<Address> = spaces
        .iter()
        .flat_map(|space| [space.bottom, Address(space.top.0.saturating_sub(1))])
        .collect();
    match ends.get(readable(&ends)) {
        Some(&address) => Err(MovesFault::Uncommitted { address }),
        None => Ok(()),
    }
}

/// Cuts every space.
fn pieces(spaces: &[Space], threads: usize) -> Vec<Piece> {
    let all: usize = spaces
        .iter()
        .map(|space| space.top.above(space.bottom))
        .sum();
    let bytes = (all / (threads * PIECES_FOR_EACH)).clamp(SMALLEST_PIECE, LARGEST_PIECE) & !7;
    let mut pieces = Vec::new();
    for (place, space) in spaces.iter().enumerate() {
        let is_small = space.top.above(space.bottom) <= bytes * LEFT_WHOLE;
        let bytes = if is_small { bytes * LEFT_WHOLE } else { bytes };
        let parts = AddressRange::from(space).parts(bytes);
        pieces.extend(parts.map(|part| Piece {
            place,
            cut: part.start,
            next_cut: part.end,
        }));
    }
    pieces
}

/// Walks all pieces in which a start was guessed. In their order.
unsafe fn walk_pieces<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    pieces: &[Piece],
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
) -> Result<Vec<WalkedStretch>, MovesFault> {
    let next = AtomicUsize::new(0);
    let new_work = || {
        let guessing = Guessing {
            spaces,
            pieces,
            next: &next,
            passed: Vec::new(),
        };
        (guessing, NotCounted)
    };
    // SAFETY: the caller vouches for the spaces and the room.
    let done = unsafe { walk_in_lanes(pool, new_walk, new_work) }?;
    let mut all: Vec<WalkedStretch> = done
        .into_iter()
        .flat_map(|(guessing, NotCounted)| guessing.passed)
        .collect();
    all.sort_unstable_by_key(|passed| passed.stretch.number);
    Ok(all)
}

/// Gives one thread its stretches, with guessed starts.
struct Guessing<'s> {
    spaces: &'s [Space],
    pieces: &'s [Piece],
    /// The next piece that no thread has.
    next: &'s AtomicUsize,
    passed: Vec<WalkedStretch>,
}

impl Stretches for Guessing<'_> {
    fn next(&mut self, walk: &mut EvacuationWalk<'_>) -> Option<Stretch> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let piece = self.pieces.get(number)?;
            let space = self.spaces.get(piece.place)?;
            // SAFETY: the caller that walks these pieces vouches for the spaces.
            if let Some(start) = unsafe { guess(walk, space, piece) } {
                return Some(Stretch {
                    number,
                    space: space.index,
                    start,
                    stop: piece.next_cut,
                    top: space.top,
                });
            }
        }
    }

    fn passed(&mut self, passed: WalkedStretch) {
        self.passed.push(passed);
    }
}

/// The first place of a piece where an object seems to start.
///
/// # Safety
/// The space and the room of the walk can be read.
unsafe fn guess(walk: &mut EvacuationWalk<'_>, space: &Space, piece: &Piece) -> Option<Address> {
    if piece.cut == space.bottom {
        return Some(piece.cut);
    }
    let alignment = walk.sizes().alignment();
    let mut at = Address(piece.cut.0.next_multiple_of(alignment));
    while at < piece.next_cut {
        // SAFETY: passed on.
        if unsafe { seems_to_start(walk, at, space.top) } {
            return Some(at);
        }
        at = at.plus(alignment);
    }
    None
}

/// Is there the mark word of an object that is not locked, or has moved, and do objects follow one another from here?
unsafe fn seems_to_start(walk: &mut EvacuationWalk<'_>, start: Address, top: Address) -> bool {
    // SAFETY: passed on.
    let mark: u64 = unsafe { start.read() };
    if mark & 7 != 1 && mark & 3 != 3 {
        return false;
    }
    let mut at = start;
    for _ in 0..TRIED {
        if at == top {
            break;
        }
        // SAFETY: passed on.
        match unsafe { walk.old_copy(at, top) } {
            Ok(object) => at = at.plus(object.bytes),
            Err(_) => return false,
        }
    }
    true
}

/// Accepts the pieces that start where the accepted ones end, and walks what is between them.
unsafe fn join(
    walk: &mut EvacuationWalk<'_>,
    space: &Space,
    pieces: Vec<WalkedStretch>,
    found: &mut Evacuated,
) -> Result<(), MovesFault> {
    let mut at = space.bottom;
    for piece in pieces {
        let start = piece.stretch.start;
        // SAFETY: passed on; an object starts where the accepted ones end.
        at = unsafe { walk.stretch(space, at, start, found) }?;
        if at == start {
            at = piece.end;
            found.accept(piece)?;
        }
    }
    // SAFETY: the caller vouches for the spaces; the accepted pieces end where an object starts.
    unsafe { walk.stretch(space, at, space.top, found) }.map(|_| ())
}

#[cfg(test)]
mod tests;
