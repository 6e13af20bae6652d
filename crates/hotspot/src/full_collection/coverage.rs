//! After a full collection: is at every new place the object that moved there, and is nothing else there?
//!
//! 1. Class and size at every new place are those of the object.
//! 2. Survivors of a space come one after the other. What is between them must be fillers, or (G1) dead objects of a region that was not
//!    compacted, in which nothing moved at all.
//!
//! Serial and Parallel slide: new places ascend in the order of the spaces, so each hole is looked at as soon as it shows. G1 may fill a region from several
//! others in any order; then a region is looked at as a whole, if its survivors do not fill it exactly.

use crate::address::Address;
use crate::class_table::ClassTable;
use crate::collection_report::MovesFault;
use crate::collector::Collector;
use crate::object_walk::ObjectSizes;
use crate::space::{Space, SpaceKind};
use crate::survivor::Survivor;

use super::fits;
use super::live_objects::{ObjectReader, by_space, is_collected, unparsed};
use super::order::only_fillers;

/// What lies in one space afterwards.
#[derive(Debug, Clone, Copy)]
struct Filling {
    /// End of the survivors that came one after the other from the bottom on.
    end: Address,
    /// One did not.
    scattered: bool,
    moved: bool,
}

/// The spaces afterwards, in the order of their addresses.
struct Places<'a> {
    spaces: Vec<&'a Space>,
    fillings: Vec<Filling>,
    /// The one that was asked for last.
    last: usize,
}

/// The check of one collection.
struct Check<'a> {
    reader: ObjectReader<'a>,
    classes: &'a ClassTable,
    places: Places<'a>,
    slides: bool,
}

/// Checks all of it. Survivors ascend by `from`.
///
/// # Safety
/// The world is stopped, moving has ended, and memory below the tops of `after` is committed.
pub(super) unsafe fn check(
    survivors: &[Survivor],
    before: &[Space],
    after: &[Space],
    collector: Collector,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let mut check = Check {
        reader: ObjectReader::new(classes, sizes),
        classes,
        places: Places::new(after),
        slides: collector != Collector::G1,
    };
    for (_, part) in by_space(survivors, before) {
        for survivor in survivors.get(part).into_iter().flatten() {
            // SAFETY: as for this function.
            unsafe { check.place(survivor) }?;
        }
    }
    for (space, filling) in check.places.unfilled(before, check.slides) {
        // SAFETY: as for this function.
        unsafe { check.rest(space, filling, survivors) }?;
    }
    Ok(())
}

impl Check<'_> {
    /// Is the object at its new place?
    unsafe fn place(&mut self, survivor: &Survivor) -> Result<(), MovesFault> {
        let wrong = |found| wrong(survivor, found);
        let bytes = usize::try_from(survivor.bytes()).map_err(|_| wrong("its size"))?;
        let Some((space, filling)) = self.places.of(survivor.to) else {
            return Err(wrong("no space"));
        };
        let is_humongous = space.kind == SpaceKind::HumongousStart;
        if !is_humongous && !fits(space, survivor.to, bytes) {
            return Err(wrong("the top of the space"));
        }
        let hole = (filling.end, survivor.to);
        filling.moved |= survivor.moved();
        filling.scattered |= hole.0 != hole.1;
        filling.end = survivor.to.plus(bytes);
        if self.slides && hole.0 != hole.1 {
            if hole.1 < hole.0 {
                return Err(wrong("another object"));
            }
            // SAFETY: from the end of an object to the begin of another, below the top.
            unsafe { only_fillers(&mut self.reader, self.classes, space, hole.0, hole.1) }?;
        }
        let end = if is_humongous {
            Address(usize::MAX)
        } else {
            space.top
        };
        // SAFETY: below the top.
        match unsafe { self.reader.object(survivor.to, end) } {
            Ok((class, _)) if class != survivor.class => Err(wrong("an object of another class")),
            Ok((_, found)) if found != bytes => Err(wrong("an object of another size")),
            Ok(_) => Ok(()),
            Err(_) => Err(wrong("no object")),
        }
    }

    /// What else is in a space that the survivors do not fill?
    unsafe fn rest(
        &mut self,
        space: &Space,
        filling: Filling,
        survivors: &[Survivor],
    ) -> Result<(), MovesFault> {
        if self.slides {
            // SAFETY: from the end of the last object to the top.
            return unsafe {
                only_fillers(
                    &mut self.reader,
                    self.classes,
                    space,
                    filling.end,
                    space.top,
                )
            };
        }
        let mut there: Vec<&Survivor> = survivors
            .iter()
            .filter(|survivor| fits(space, survivor.to, 8))
            .collect();
        there.sort_unstable_by_key(|survivor| survivor.to);
        let mut end = space.bottom;
        for survivor in there {
            if survivor.to < end {
                return Err(wrong(survivor, "another object"));
            }
            // SAFETY: from the end of an object to the begin of another, below the top.
            unsafe { only_fillers(&mut self.reader, self.classes, space, end, survivor.to) }?;
            // SAFETY: `place` has found the object at its new place, below the top of the space.
            let (_, bytes) = unsafe { self.reader.object(survivor.to, space.top) }
                .map_err(|fault| unparsed(space, fault))?;
            end = survivor.to.plus(bytes);
        }
        // SAFETY: from the end of the last object to the top.
        unsafe { only_fillers(&mut self.reader, self.classes, space, end, space.top) }
    }
}

fn wrong(survivor: &Survivor, found: &'static str) -> MovesFault {
    MovesFault::Destination {
        from: survivor.from,
        to: survivor.to,
        found,
    }
}

impl<'a> Places<'a> {
    fn new(after: &'a [Space]) -> Self {
        let mut spaces: Vec<&Space> = after
            .iter()
            .filter(|space| is_collected(space) && space.bottom < space.top)
            .collect();
        spaces.sort_unstable_by_key(|space| space.bottom);
        Self {
            fillings: spaces.iter().map(|space| Filling::none(space)).collect(),
            spaces,
            last: 0,
        }
    }

    /// The space of an address. Neighbours mostly ask for the same one.
    fn of(&mut self, address: Address) -> Option<(&'a Space, &mut Filling)> {
        let holds = |space: &Space| space.bottom <= address && address < space.top;
        if !self.spaces.get(self.last).is_some_and(|space| holds(space)) {
            let above = self.spaces.partition_point(|space| space.bottom <= address);
            self.last = above.checked_sub(1)?;
        }
        let space = *self.spaces.get(self.last)?;
        if !holds(space) {
            return None;
        }
        Some((space, self.fillings.get_mut(self.last)?))
    }

    /// Spaces that the survivors do not fill and that must be looked at. With `slides`, holes up to the last survivor have been looked at.
    fn unfilled(&self, before: &[Space], slides: bool) -> Vec<(&'a Space, Filling)> {
        let all = self.spaces.iter().zip(&self.fillings);
        all.map(|(&space, &filling)| (space, filling))
            .filter(|(space, filling)| {
                space.kind != SpaceKind::HumongousStart
                    && (filling.end != space.top || filling.scattered && !slides)
                    && !is_new(space, *filling)
                    && (slides || !is_as_before(space, *filling, before))
            })
            .collect()
    }
}

impl Filling {
    fn none(space: &Space) -> Self {
        Self {
            end: space.bottom,
            scattered: false,
            moved: false,
        }
    }
}

/// A region, or eden, in which the VM has allocated since.
fn is_new(space: &Space, filling: Filling) -> bool {
    filling.end == space.bottom && space.kind.is_young()
}

/// A region of G1 that was not compacted: dead objects lie in it as before.
fn is_as_before(space: &Space, filling: Filling, before: &[Space]) -> bool {
    let former = || {
        before
            .iter()
            .any(|former| former.bottom == space.bottom && former.top == space.top)
    };
    !filling.moved && former()
}
