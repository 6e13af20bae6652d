//! After an evacuation: does the memory that objects moved to hold just these objects?
//!
//! Class by class, the number of survivors that moved must be the number of objects in the pieces of memory they moved to, each piece up to the end of
//! the last one of them. What is there and no survivor must be a filler: collectors copy into buffers and fill what is left of them.
//!
//! ```text
//! after                        piece
//! survivor space or region     from its bottom
//! old space, old region        from the top it had before, from its bottom when it was free
//! kept region, all others      none
//! ```
//!
//! Not beyond the last survivor: what made the VM collect may already have been given the memory behind it, and nothing is written there yet.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::address::Address;
use crate::class_table::{ClassId, ClassTable};
use crate::collection_report::{MovesFault, Survivor};
use crate::evacuation_walk::EvacuationWalk;
use crate::filler_class::may_fill;
use crate::heap_spaces::{Space, SpaceKind};
use crate::lanes::{Passed, Stretch, Stretches, walk_in_lanes};
use crate::walk_pool::WalkPool;

/// Pieces are cut into so many stretches for each thread,
const STRETCHES_FOR_EACH: usize = 16;
/// but not smaller than this many survivors.
const SMALLEST_STEP: usize = 512;

/// Memory that objects moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    space: u32,
    start: Address,
    /// The end of the space.
    limit: Address,
    /// The end of the last survivor.
    end: Address,
}

/// Compares survivors and memory, with all threads of the pool.
///
/// # Safety
/// The world is stopped, the evacuation has ended, memory below the tops of `after` is committed.
pub(crate) unsafe fn check<'a>(
    survivors: &[Survivor],
    (before, after): (&[Space], &[Space]),
    classes: &ClassTable,
    pool: &WalkPool,
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<(), MovesFault> {
    let mut pieces = pieces(before, after);
    let mut claimed: Vec<u64> = vec![0; classes.len()];
    let mut last = 0;
    for survivor in survivors.iter().filter(|survivor| survivor.moved()) {
        if !pieces
            .get(last)
            .is_some_and(|piece| piece.holds(survivor.to))
        {
            let above = pieces.partition_point(|piece| piece.start <= survivor.to);
            last = above.saturating_sub(1);
        }
        let piece = pieces
            .get_mut(last)
            .filter(|piece| piece.holds(survivor.to));
        let Some((piece, count)) = piece.zip(claimed.get_mut(survivor.class.0 as usize)) else {
            return Err(MovesFault::Destination {
                from: survivor.from,
                to: survivor.to,
                found: "memory that nothing should move to",
            });
        };
        // Sizes were checked when the survivor was read.
        let bytes = usize::try_from(survivor.bytes()).unwrap_or(usize::MAX);
        piece.end = piece.end.max(survivor.to.plus(bytes));
        *count += 1;
    }
    let stretches = stretches(&pieces, survivors, pool.threads());
    // SAFETY: passed on.
    let found = unsafe { count(&stretches, classes.len(), pool, &new_walk) }?;
    differences(&claimed, &found, classes)
}

/// Cuts the pieces where survivors start.
fn stretches(pieces: &[Piece], survivors: &[Survivor], threads: usize) -> Vec<Stretch> {
    let step = (survivors.len() / (threads * STRETCHES_FOR_EACH)).max(SMALLEST_STEP);
    let mut cuts: Vec<Address> = survivors
        .iter()
        .step_by(step)
        .map(|survivor| survivor.to)
        .collect();
    cuts.sort_unstable();
    let mut stretches = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.start < piece.end) {
        let first = cuts.partition_point(|&cut| cut <= piece.start);
        let inside = cuts.iter().skip(first);
        let inside = inside.take_while(|&&cut| cut < piece.end).copied();
        let mut start = piece.start;
        for stop in inside.chain([piece.end]) {
            // An object that reaches beyond the start of another one is a fault.
            stretches.push(Stretch {
                number: stretches.len(),
                space: piece.space,
                start,
                stop,
                top: stop,
            });
            start = stop;
        }
    }
    stretches
}

/// Counts the objects of all stretches by the rows of their classes.
unsafe fn count<'a>(
    stretches: &[Stretch],
    classes: usize,
    pool: &WalkPool,
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
) -> Result<Vec<u64>, MovesFault> {
    let next = AtomicUsize::new(0);
    let new_work = || {
        let listed = Listed {
            stretches,
            next: &next,
            outcome: Ok(()),
        };
        (listed, vec![0; classes])
    };
    // SAFETY: the caller vouches for the pieces.
    let done = unsafe { walk_in_lanes(pool, new_walk, new_work) }?;
    let mut all: Vec<u64> = vec![0; classes];
    for (listed, found) in done {
        listed.outcome?;
        for (sum, found) in all.iter_mut().zip(found) {
            *sum += found;
        }
    }
    Ok(all)
}

/// Gives one thread its stretches.
struct Listed<'s> {
    stretches: &'s [Stretch],
    next: &'s AtomicUsize,
    outcome: Result<(), MovesFault>,
}

impl Stretches for Listed<'_> {
    fn next(&mut self, _: &mut EvacuationWalk<'_>) -> Option<Stretch> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.stretches.get(number).copied()
    }

    fn passed(&mut self, passed: Passed) {
        if let Some(fault) = passed.fault {
            self.outcome = Err(fault);
        }
    }
}

impl Piece {
    fn holds(&self, address: Address) -> bool {
        self.start <= address && address < self.limit
    }
}

/// Where objects can have moved to, ascending.
fn pieces(before: &[Space], after: &[Space]) -> Vec<Piece> {
    let former = |space: &Space| {
        let mut same = before.iter().filter(|former| former.bottom == space.bottom);
        same.next()
    };
    // Lists of regions are long and ascending: look them up by index.
    let former_region = |space: &Space| {
        let place = before.binary_search_by_key(&space.index, |former| former.index);
        place.ok().and_then(|place| before.get(place))
    };
    let mut pieces: Vec<Piece> = after
        .iter()
        .filter(|space| space.bottom < space.top)
        .filter_map(|space| {
            let former = former_region(space)
                .filter(|former| former.bottom == space.bottom)
                .or_else(|| former(space));
            let start = match (space.kind, former.map(|former| former.kind)) {
                (SpaceKind::Survivor | SpaceKind::To, _) => space.bottom,
                (SpaceKind::Old, Some(SpaceKind::Old)) => former?.top,
                (SpaceKind::Old, None | Some(SpaceKind::Free)) => space.bottom,
                _ => return None,
            };
            Some(Piece {
                space: space.index,
                start,
                limit: space.top,
                end: start,
            })
        })
        .collect();
    pieces.sort_unstable_by_key(|piece| piece.start);
    pieces
}

/// Every class must have as many objects as were claimed; fillers may be more.
fn differences(claimed: &[u64], found: &[u64], classes: &ClassTable) -> Result<(), MovesFault> {
    for (id, (&claimed, &found)) in (0..).map(ClassId).zip(claimed.iter().zip(found)) {
        if claimed != found && !(claimed < found && may_fill(classes, id)) {
            return Err(MovesFault::Coverage {
                class: id,
                claimed,
                found,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use crate::address::Address;
    use crate::heap_spaces::{Space, SpaceKind};

    fn space(kind: SpaceKind, index: u32, bottom: usize, top: usize) -> Space {
        Space {
            kind,
            index,
            bottom: Address(bottom),
            top: Address(top),
        }
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
        let found: Vec<_> = pieces(&before, &after)
            .iter()
            .map(|piece| (piece.start.0, piece.limit.0))
            .collect();
        assert_eq!(found, [(0x1800, 0x1900), (0x4000, 0x4200)]);
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
        let found: Vec<_> = pieces(&before, &after)
            .iter()
            .map(|piece| (piece.start.0, piece.limit.0))
            .collect();
        assert_eq!(found, [(0x2000, 0x2800), (0x6000, 0x6800)]);
    }
}
