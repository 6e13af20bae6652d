//! Checks after a full collection that every new place holds the object that moved there, and that nothing else is there.
//!
//! 1. The class and size at every new place are those of the object.
//! 2. The survivors of a space follow one another. Between them there may only be fillers or, with G1, dead objects of a region that was
//!    not compacted and in which nothing moved.
//!
//! Serial and Parallel slide: new places ascend in the order of the spaces, so each gap is checked as soon as it appears. G1 may fill a
//! region from several others in any order, so a region is checked as a whole if its survivors do not fill it exactly.

use crate::address::Address;
use crate::classes::class_table::ClassTable;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::{Space, SpaceKind};
use crate::vm::collector::Collector;

use super::fits;
use super::live_objects::{ObjectReader, by_space, is_collected, unparsed};
use super::order::only_fillers;

/// How survivors fill one space after the collection.
#[derive(Debug, Clone, Copy)]
struct Filling {
    /// End of the contiguous survivors from the bottom up.
    end: Address,
    /// A survivor did not follow the one before.
    scattered: bool,
    moved: bool,
}

/// The spaces after the collection, by address.
struct Places<'a> {
    spaces: Vec<&'a Space>,
    fillings: Vec<Filling>,
    /// Index of the space used last.
    last: usize,
}

/// The check of one collection.
struct Check<'a> {
    reader: ObjectReader<'a>,
    classes: &'a ClassTable,
    places: Places<'a>,
    slides: bool,
}

/// Checks a whole collection. `survivors` ascend by `from`.
///
/// # Safety
/// The world must be stopped, moving ended, and memory below the tops of `after` committed.
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
            // SAFETY: the caller upholds the same contract.
            unsafe { check.place(survivor) }?;
        }
    }
    for (space, filling) in check.places.unfilled(before, check.slides) {
        // SAFETY: the caller upholds the same contract.
        unsafe { check.rest(space, filling, survivors) }?;
    }
    Ok(())
}

impl Check<'_> {
    /// Checks that the object is at its new place.
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
            // SAFETY: from the end of one object to the start of another, below the top.
            unsafe { only_fillers(&mut self.reader, self.classes, space, hole.0, hole.1) }?;
        }
        let end = if is_humongous {
            Address(usize::MAX)
        } else {
            space.top
        };
        // SAFETY: `survivor.to` lies below the top of a space, whose memory is committed up to there.
        match unsafe { self.reader.object(survivor.to, end) } {
            Ok((class, _)) if class != survivor.class => Err(wrong("an object of another class")),
            Ok((_, found)) if found != bytes => Err(wrong("an object of another size")),
            Ok(_) => Ok(()),
            Err(_) => Err(wrong("no object")),
        }
    }

    /// Checks the memory of a space that the survivors do not fill.
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
            // SAFETY: from the end of one object to the start of another, below the top.
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

    /// The space of an address. Consecutive lookups mostly hit the same one.
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

    /// The spaces that must be checked because survivors do not fill them.
    /// With `slides`, gaps up to the last survivor have been checked already.
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

/// Whether this is a young space that the VM has allocated in since the collection.
fn is_new(space: &Space, filling: Filling) -> bool {
    filling.end == space.bottom && space.kind.is_young()
}

/// Whether this is a G1 region that was not compacted, so its dead objects are still there.
fn is_as_before(space: &Space, filling: Filling, before: &[Space]) -> bool {
    let former = || {
        before
            .iter()
            .any(|former| former.bottom == space.bottom && former.top == space.top)
    };
    !filling.moved && former()
}
