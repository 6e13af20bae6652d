//! Derives new addresses from the order of objects: for Parallel up to JDK
//! 22, which recomputes them for every reference and stores them nowhere.
//!
//! The collector slides objects towards the beginning of the old space, then of eden, from-space and to-space, and no object overtakes
//! another. So the live objects, in that order of spaces, are afterwards in the same order and without gaps, except in the first part of
//! the old space (the dense prefix): objects there stay, and fillers cover the dead between them.
//!
//! Going backwards from the end, there is never a choice. Let `end` be the lowest place assigned so far and `x` the last live object
//! without a new address:
//!
//! - If `x` lies in the same space and ends below `end`, it would have to move up. Nothing moves up, so `x` stays, and fillers reach from
//!   its end to `end`.
//! - Otherwise it lies directly below `end`, or, if `end` is the bottom of a space, directly below the top of the space before.
//!
//! Example with objects of 16 bytes, before: `A 0x00, dead 0x10, B 0x20, C 0x30 | D 0x100`; the top of the old space afterwards is 0x40. D
//! -> 0x30, C -> 0x20, B -> 0x10, and A stays: no filler. With top 0x50: D -> 0x40, C -> 0x30 (stays), B -> 0x20 (stays); A ends at 0x10,
//! not at 0x20, so it stays with a filler after it.

use crate::address::Address;
use crate::classes::class_table::ClassTable;
use crate::classes::filler_class::may_fill;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::Space;

use super::live_objects::{ObjectReader, by_space, unparsed};

/// Finds the new address of every survivor. Survivors ascend by `from`; both lists of spaces are in the order old, eden, from, to. Also
/// checks that every new place holds an object of the same class and size, and that only fillers lie elsewhere.
///
/// # Safety
/// The world must be stopped, moving ended, and memory below the tops of `after` committed.
pub(super) unsafe fn place(
    survivors: &mut [Survivor],
    before: &[Space],
    after: &[Space],
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let mut slide = Slide {
        reader: ObjectReader::new(classes, sizes),
        classes,
        targets: after,
        end: after.last().map_or(Address::NULL, |space| space.top),
    };
    let parts: Vec<_> = by_space(survivors, before)
        .map(|(space, part)| (*space, part))
        .collect();
    for (space, part) in parts.into_iter().rev() {
        for survivor in survivors.get_mut(part).into_iter().flatten().rev() {
            // SAFETY: the caller upholds the same contract.
            unsafe { slide.place(survivor, &space) }?;
        }
    }
    // SAFETY: the caller upholds the same contract.
    unsafe { slide.finish() }
}

/// The unassigned places: `[bottom, end)` of the last target, and all targets before it.
struct Slide<'a> {
    reader: ObjectReader<'a>,
    classes: &'a ClassTable,
    targets: &'a [Space],
    end: Address,
}

impl Slide<'_> {
    /// Assigns the last free place to the last unplaced object. `space` is the space it was in.
    unsafe fn place(&mut self, survivor: &mut Survivor, space: &Space) -> Result<(), MovesFault> {
        let bytes = usize::try_from(survivor.bytes()).unwrap_or(usize::MAX);
        while let [before @ .., target] = self.targets
            && self.end <= target.bottom
        {
            self.targets = before;
            self.end = before.last().map_or(Address::NULL, |space| space.top);
        }
        let Some(target) = self
            .targets
            .last()
            .filter(|target| bytes <= self.end.above(target.bottom))
        else {
            return Err(wrong(survivor, self.end, "no place for it"));
        };
        let mut to = Address(self.end.0 - bytes);
        if to > survivor.from && target.index == space.index {
            to = survivor.from;
            let after = to.plus(bytes);
            // SAFETY: from the end of one object to the start of another, below the top.
            unsafe { only_fillers(&mut self.reader, self.classes, target, after, self.end) }?;
        }
        // SAFETY: `to` lies below the top of a space, whose memory is committed up to there.
        let found = unsafe { self.reader.object(to, self.end) };
        if found != Ok((survivor.class, bytes)) {
            return Err(wrong(survivor, to, "another object"));
        }
        survivor.to = to;
        self.end = to;
        Ok(())
    }

    /// Checks that only fillers lie in the unassigned places.
    unsafe fn finish(&mut self) -> Result<(), MovesFault> {
        while let [before @ .., target] = self.targets {
            let bottom = target.bottom;
            // SAFETY: from the bottom to the start of an object, or to the top.
            unsafe { only_fillers(&mut self.reader, self.classes, target, bottom, self.end) }?;
            self.targets = before;
            self.end = before.last().map_or(Address::NULL, |space| space.top);
        }
        Ok(())
    }
}

/// Checks that there are only fillers from `at` to `end`.
///
/// # Safety
/// The world must be stopped, and `at..end` must be committed memory with objects.
pub(super) unsafe fn only_fillers(
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
        if !may_fill(classes, class) {
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
