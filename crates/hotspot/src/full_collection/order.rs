//! New addresses by order: for the Parallel collector up to JDK 22, which computes them anew for every reference and writes them nowhere.
//!
//! It slides objects towards the beginning of the old space, then of eden, from-space and to-space, and no object overtakes another. So the live objects, in
//! that order of spaces, lie in the same order afterwards, without gaps, except in the first part of the old space (the dense prefix): objects
//! there stay, and what died between them is covered by fillers.
//!
//! From the end backwards there is never a choice. Let `end` be the lowest place that is taken so far and `x` the last live object without a new address:
//!
//! - `x` lies in the same space and ends below `end`, so that it would have to move up: nothing moves up, `x` stays, and fillers reach from its end to `end`;
//! - otherwise it lies directly below `end`, or, when `end` is the bottom of a space, below the top of the space before.
//!
//! Example, objects of 16 bytes, before: `A 0x00, dead 0x10, B 0x20, C 0x30 | D 0x100`, top of the old space afterwards 0x40. D -> 0x30. C would be at 0x20, B at 0x10, A stays:
//! no filler. With top 0x50: D -> 0x40, C -> 0x30 (stays), B -> 0x20 (stays), A ends at 0x10 and not at 0x20: it stays, with a filler behind it.

use crate::address::Address;
use crate::class_table::ClassTable;
use crate::collection_report::{MovesFault, Survivor};
use crate::heap_spaces::Space;
use crate::object_walk::ObjectSizes;

use super::coverage::is_filler;
use super::live_objects::{ObjectReader, unparsed};

/// Finds the new address of every survivor. They and both lists of spaces are in the order old, eden, from, to.
///
/// # Safety
/// The world is stopped, moving has ended, and memory below the tops of `after` is committed.
pub(super) unsafe fn place(
    survivors: &mut [Survivor],
    before: &[Space],
    after: &[Space],
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let mut reader = ObjectReader::new(classes, sizes);
    let mut targets = after.iter().rev().filter(|space| space.bottom < space.top);
    let mut target = targets.next();
    let mut end = target.map_or(Address::NULL, |space| space.top);
    for survivor in survivors.iter_mut().rev() {
        let bytes = usize::try_from(survivor.bytes()).unwrap_or(usize::MAX);
        if target.is_some_and(|space| end == space.bottom) {
            target = targets.next();
            end = target.map_or(Address::NULL, |space| space.top);
        }
        let Some(space) = target.filter(|space| bytes <= end.above(space.bottom)) else {
            return Err(wrong(survivor, end, "no place for it"));
        };
        let mut to = Address(end.0 - bytes);
        if to > survivor.from && is_inside(survivor.from, space, before) {
            to = survivor.from;
            // SAFETY: from the end of an object to the begin of another, below the top.
            unsafe { only_fillers(&mut reader, classes, space, to.plus(bytes), end) }?;
        }
        // SAFETY: below the top.
        let found = unsafe { reader.object(to, end) };
        if found != Ok((survivor.class, bytes)) {
            return Err(wrong(survivor, to, "another object"));
        }
        survivor.to = to;
        end = to;
    }
    // What is left below is dead wood.
    while let Some(space) = target {
        // SAFETY: from the bottom to the begin of an object or the top.
        unsafe { only_fillers(&mut reader, classes, space, space.bottom, end) }?;
        target = targets.next();
        end = target.map_or(Address::NULL, |space| space.top);
    }
    Ok(())
}

/// Was the object in this space before?
fn is_inside(from: Address, space: &Space, before: &[Space]) -> bool {
    before
        .iter()
        .filter(|former| former.index == space.index)
        .any(|former| former.bottom <= from && from < former.top)
}

/// Are there only fillers from `at` to `end`?
unsafe fn only_fillers(
    reader: &mut ObjectReader<'_>,
    classes: &ClassTable,
    space: &Space,
    mut at: Address,
    end: Address,
) -> Result<(), MovesFault> {
    while at < end {
        // SAFETY: the caller vouches for the memory.
        let (class, bytes) =
            unsafe { reader.object(at, end) }.map_err(|fault| unparsed(space, fault))?;
        if !is_filler(classes, class) {
            return Err(MovesFault::Coverage {
                class,
                claimed: 0,
                found: 1,
            });
        }
        at = at.plus(bytes);
    }
    Ok(())
}

fn wrong(survivor: &Survivor, to: Address, found: &'static str) -> MovesFault {
    MovesFault::Destination {
        from: survivor.from,
        to,
        found,
    }
}
