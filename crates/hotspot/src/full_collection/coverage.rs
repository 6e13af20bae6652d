//! After a full collection: is at every new place the object that moved there, and is nothing else there?
//!
//! 1. Class and size at every new place are those of the object.
//! 2. In every space the survivors fill it from bottom to top exactly. Where they do not, what is between them must be fillers, or (G1) dead objects of a
//!    region that was not compacted, in which nothing moved at all.
//!
//! With both, two objects with the same new place would leave a hole elsewhere, which is not a filler.

use crate::address::Address;
use crate::class_table::{ClassId, ClassTable};
use crate::collection_report::{MovesFault, Survivor};
use crate::heap_spaces::{Space, SpaceKind};
use crate::object_walk::ObjectSizes;

use super::fits;
use super::live_objects::{ObjectReader, is_collected, unparsed};

/// What lies in one space afterwards.
#[derive(Debug, Clone, Copy, Default)]
struct Filling {
    bytes: usize,
    moved: bool,
}

/// The spaces afterwards, in the order of their addresses.
struct Places<'a> {
    spaces: Vec<&'a Space>,
    fillings: Vec<Filling>,
    /// The one that was asked for last.
    last: usize,
}

/// Checks all of it.
///
/// # Safety
/// The world is stopped, moving has ended, and memory below the tops of `after` is committed.
pub(super) unsafe fn check(
    survivors: &[Survivor],
    before: &[Space],
    after: &[Space],
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let mut reader = ObjectReader::new(classes, sizes);
    let mut places = Places::new(after);
    for survivor in survivors {
        // SAFETY: as for this function.
        unsafe { check_place(survivor, &mut places, &mut reader) }?;
    }
    for (space, filling) in places.unfilled(before) {
        // SAFETY: as for this function.
        unsafe { check_holes(survivors, space, filling, &mut reader, classes) }?;
    }
    Ok(())
}

/// Is the object at its new place?
unsafe fn check_place(
    survivor: &Survivor,
    places: &mut Places<'_>,
    reader: &mut ObjectReader<'_>,
) -> Result<(), MovesFault> {
    let wrong = |found| MovesFault::Destination {
        from: survivor.from,
        to: survivor.to,
        found,
    };
    let bytes = usize::try_from(survivor.bytes()).map_err(|_| wrong("its size"))?;
    let Some((space, filling)) = places.of(survivor.to) else {
        return Err(wrong("no space"));
    };
    let end = if space.kind == SpaceKind::HumongousStart {
        Address(usize::MAX)
    } else {
        if !fits(space, survivor.to, bytes) {
            return Err(wrong("the top of the space"));
        }
        space.top
    };
    filling.bytes += bytes;
    filling.moved |= survivor.moved();
    // SAFETY: below the top.
    match unsafe { reader.object(survivor.to, end) } {
        Ok((class, _)) if class != survivor.class => Err(wrong("an object of another class")),
        Ok((_, found)) if found != bytes => Err(wrong("an object of another size")),
        Ok(_) => Ok(()),
        Err(_) => Err(wrong("no object")),
    }
}

/// Is everything between the survivors of a space a filler?
unsafe fn check_holes(
    survivors: &[Survivor],
    space: &Space,
    filling: Filling,
    reader: &mut ObjectReader<'_>,
    classes: &ClassTable,
) -> Result<(), MovesFault> {
    let mut taken: Vec<Address> = survivors
        .iter()
        .map(|survivor| survivor.to)
        .filter(|&to| fits(space, to, 8))
        .collect();
    taken.sort_unstable();
    let mut taken = taken.into_iter().peekable();
    let mut at = space.bottom;
    while at < space.top {
        // SAFETY: the caller vouches for the space; objects lie one after the other.
        let (class, bytes) =
            unsafe { reader.object(at, space.top) }.map_err(|fault| unparsed(space, fault))?;
        if taken.next_if_eq(&at).is_none() && !is_filler(classes, class) {
            return Err(MovesFault::Coverage {
                class,
                claimed: 0,
                found: 1,
            });
        }
        at = at.plus(bytes);
    }
    match taken.next() {
        None => Ok(()),
        // Two objects at one place, or one inside of another.
        Some(to) => Err(MovesFault::Destination {
            from: Address(filling.bytes),
            to,
            found: "another object",
        }),
    }
}

/// May the VM have put an object of this class into a hole? Fillers have classes of their own from JDK 19 on.
pub(crate) fn is_filler(classes: &ClassTable, class: ClassId) -> bool {
    classes.class(class).is_some_and(|class| {
        matches!(
            class.name.as_slice(),
            b"jdk/internal/vm/FillerObject"
                | b"jdk/internal/vm/FillerArray"
                | b"[Ljdk/internal/vm/FillerElement;"
                | b"java/lang/Object"
                | b"[I"
        )
    })
}

impl<'a> Places<'a> {
    fn new(after: &'a [Space]) -> Self {
        let mut spaces: Vec<&Space> = after
            .iter()
            .filter(|space| is_collected(space) && space.bottom < space.top)
            .collect();
        spaces.sort_unstable_by_key(|space| space.bottom);
        Self {
            fillings: vec![Filling::default(); spaces.len()],
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

    /// Spaces that the survivors do not fill and that must be looked at.
    fn unfilled(&self, before: &[Space]) -> Vec<(&'a Space, Filling)> {
        let all = self.spaces.iter().zip(&self.fillings);
        all.map(|(&space, &filling)| (space, filling))
            .filter(|(space, filling)| {
                space.kind != SpaceKind::HumongousStart
                    && filling.bytes != space.top.above(space.bottom)
                    && !is_new(space, *filling)
                    && !is_as_before(space, *filling, before)
            })
            .collect()
    }
}

/// A region of G1 that was taken for allocation after the collection.
fn is_new(space: &Space, filling: Filling) -> bool {
    filling.bytes == 0 && space.kind.is_young()
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
