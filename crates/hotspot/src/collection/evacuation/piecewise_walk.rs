//! Walks evacuated spaces in pieces, on all threads and in several lanes of each.
//!
//! Eden of Serial and Parallel is one space of hundreds of megabytes, and nothing records where in the middle of it an object starts. So a
//! start is guessed: the first place after a cut that looks like the mark word of an object and from which several objects can be parsed. A
//! guess can be wrong: array elements and uncleared memory can look like objects. The walk is exact because the pieces must fit together:
//!
//! ```text
//! cut             |                          |                          |
//! piece 0  [obj][obj][ obj ]                 |                          |     ends at A, the first object end after the cut
//! piece 1                 A[obj][obj] ... [an array that looks like objects]  guessed to start at A: it fits, and ends at C
//! piece 2                                    |  B[fake][fake] ...   C   |     guessed to start at B: rejected, walked again from C on
//! ```
//!
//! The first piece starts where the space does. A piece is accepted if it starts where the last accepted piece ends; all others are walked
//! again from there. So the result is that of one walk from bottom to top. Faults in a rejected piece are ignored.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::lanes::{NotCounted, Stretches, walk_in_lanes};
use crate::collection::evacuation::stretch::{Stretch, WalkedStretch};
use crate::collection::report::MovesFault;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::heap::space::Space;
use crate::process::careful_read::readable;
use crate::process::walk_pool::WalkPool;

/// Bounds on the size of a piece: small pieces keep every lane of every thread busy to the end, large ones need few guesses.
const SMALLEST_PIECE: usize = 128 << 10;
const LARGEST_PIECE: usize = 512 << 10;
/// Pieces per thread, within these bounds.
const PIECES_FOR_EACH: usize = 32;
/// A space of at most this many pieces is not cut, so it needs no guess.
const LEFT_WHOLE: usize = 2;

/// Objects that must parse from a guessed start on.
const TRIED: usize = 24;

/// A part of a space between two cuts.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Index of the space in the list.
    place: usize,
    cut: Address,
    next_cut: Address,
}

/// Walks spaces on this thread and the pool threads that join, each with its own walk. Survivors come in the order of the spaces.
///
/// # Safety
/// The world must be stopped. The spaces must be memory of the heap, and the room of the walks must be readable.
pub(crate) unsafe fn walk_together<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<Evacuated, MovesFault> {
    confirm_committed(spaces)?;
    // SAFETY: the caller upholds the same contract; all spaces are committed.
    let passed = unsafe { walk_by_space(pool, spaces, &new_walk) }?;
    let mut all = Evacuated::default();
    let survivors = passed.iter().flatten();
    let survivors = survivors.map(|passed| passed.survivors.len()).sum();
    all.survivors.reserve_exact(survivors);
    let mut walk = new_walk();
    for (space, of_space) in spaces.iter().zip(passed) {
        // SAFETY: the caller upholds the same contract.
        unsafe {
            walk.or_former_classes(space, &mut all, |walk, all| {
                join(walk, space, of_space, all)
            })
        }?;
    }
    Ok(all)
}

/// Like [`walk_together`], with one result for each space. Young spaces are tried with the current classes only: if such a walk fails, it
/// came at the wrong moment.
///
/// # Safety
/// As for [`walk_together`].
pub(crate) unsafe fn walk_each<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<Vec<Evacuated>, MovesFault> {
    // SAFETY: the caller upholds the same contract.
    let passed = unsafe { walk_by_space(pool, spaces, &new_walk) }?;
    let mut walk = new_walk();
    let each = spaces.iter().zip(passed).map(|(space, of_space)| {
        let mut found = Evacuated::default();
        // SAFETY: the caller upholds the same contract.
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

/// Walks the pieces of all spaces. Returns them by space, in order.
unsafe fn walk_by_space<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
) -> Result<Vec<Vec<WalkedStretch>>, MovesFault> {
    let pieces = pieces(spaces, pool.threads());
    let mut by_space: Vec<Vec<WalkedStretch>> = spaces.iter().map(|_| Vec::new()).collect();
    // SAFETY: the caller upholds the same contract.
    for passed in unsafe { walk_pieces(pool, spaces, &pieces, new_walk) }? {
        let piece = pieces.get(passed.stretch.number);
        if let Some(of_space) = piece.and_then(|piece| by_space.get_mut(piece.place)) {
            of_space.push(passed);
        }
    }
    Ok(by_space)
}

/// Checks the first and last byte of each space. Collectors uncommit memory from the end of a space or by whole regions, so if both are
/// there, the whole space is.
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

/// Cuts every space into pieces.
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

/// Walks all pieces for which a start was guessed. Returns them in order.
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

/// Hands one thread its stretches, with guessed starts.
struct Guessing<'s> {
    spaces: &'s [Space],
    pieces: &'s [Piece],
    /// The next piece that no thread has taken.
    next: &'s AtomicUsize,
    passed: Vec<WalkedStretch>,
}

impl Stretches for Guessing<'_> {
    fn next(&mut self, walk: &mut EvacuationWalk<'_>) -> Option<Stretch> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let piece = self.pieces.get(number)?;
            let space = self.spaces.get(piece.place)?;
            // SAFETY: the caller of the walk vouches for the spaces.
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

/// The first place in a piece where an object seems to start.
///
/// # Safety
/// The space and the room of the walk must be readable.
unsafe fn guess(walk: &mut EvacuationWalk<'_>, space: &Space, piece: &Piece) -> Option<Address> {
    if piece.cut == space.bottom {
        return Some(piece.cut);
    }
    let alignment = walk.sizes().alignment();
    let mut at = Address(piece.cut.0.next_multiple_of(alignment));
    while at < piece.next_cut {
        // SAFETY: the caller upholds the same contract.
        if unsafe { seems_to_start(walk, at, space.top) } {
            return Some(at);
        }
        at = at.plus(alignment);
    }
    None
}

/// Whether `start` holds the mark word of an unlocked or forwarded object, and objects follow one another from here.
unsafe fn seems_to_start(walk: &mut EvacuationWalk<'_>, start: Address, top: Address) -> bool {
    // SAFETY: the caller upholds the same contract.
    let mark: u64 = unsafe { start.read() };
    if mark & 7 != 1 && mark & 3 != 3 {
        return false;
    }
    let mut at = start;
    for _ in 0..TRIED {
        if at == top {
            break;
        }
        // SAFETY: the caller upholds the same contract.
        match unsafe { walk.old_copy(at, top) } {
            Ok(object) => at = at.plus(object.bytes),
            Err(_) => return false,
        }
    }
    true
}

/// Accepts the pieces that fit together, and walks the memory between them.
unsafe fn join(
    walk: &mut EvacuationWalk<'_>,
    space: &Space,
    pieces: Vec<WalkedStretch>,
    found: &mut Evacuated,
) -> Result<(), MovesFault> {
    let mut at = space.bottom;
    for piece in pieces {
        let start = piece.stretch.start;
        // SAFETY: the caller upholds the same contract; an object starts where the accepted pieces end.
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
