//! What was in the heap before the first collection that is followed: archives of the JDK, old objects of a JVM that runs already.
//!
//! These objects were made before recording, and a young collection says nothing of them. So the first pause lists every object of the spaces that are not
//! young, and the first report has them as survivors that stayed (`from == to`), with their spaces among the collected ones: from then on the whole
//! heap is known.
//!
//! Example: Serial starts with `java.lang.Class` mirrors of an archive in the old space `[0x8000, 0x9000)`; the first young collection collects eden
//! `[0x1000, 0x2000)`. Its report has both ranges.

use crate::class_table::ClassTable;
use crate::collection_report::{AddressRange, CollectionReport};
use crate::object_walk::{ObjectSizes, ObjectWalk};
use crate::space::Space;
use crate::survivor::Survivor;

/// Taken once, given away once.
#[derive(Debug, Default)]
pub(crate) enum FirstInventory {
    /// There was no pause yet.
    #[default]
    Wanted,
    /// What the first pause found, space by space.
    Taken(Vec<(AddressRange, Vec<Survivor>)>),
    /// The first report has it.
    Given,
}

impl FirstInventory {
    /// Lists the objects of all spaces but the young ones, at the beginning of the first pause. A space that cannot be walked is left out: its objects are
    /// found when a collection decides about them.
    ///
    /// # Safety
    /// The world is stopped, nothing was moved yet, and memory below the tops is committed.
    pub(crate) unsafe fn take(
        &mut self,
        spaces: &[Space],
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) {
        if !matches!(self, Self::Wanted) {
            return;
        }
        let standing = spaces
            .iter()
            .filter(|space| !space.kind.is_young() && space.kind.holds_objects());
        let listed = standing.filter_map(|space| {
            // SAFETY: the caller vouches for the spaces.
            unsafe { list_space(space, classes, sizes) }
        });
        *self = Self::Taken(listed.collect());
    }

    /// Adds what was found to the first report, less what that collection decided about.
    pub(crate) fn give_to(&mut self, report: &mut CollectionReport) {
        if report.fault.is_some() {
            return;
        }
        let Self::Taken(spaces) = std::mem::replace(self, Self::Given) else {
            return;
        };
        let is_undecided = |(range, _): &(AddressRange, Vec<Survivor>)| {
            let mut collected = report.collected.iter();
            collected.all(|collected| collected.end <= range.start || range.end <= collected.start)
        };
        let undecided: Vec<_> = spaces.into_iter().filter(is_undecided).collect();
        report.add_listed(undecided);
    }
}

/// The objects of a space, and the memory they take. `None`: it cannot be walked, or is empty.
///
/// # Safety
/// As for [`ObjectWalk::new`].
pub(crate) unsafe fn list_space(
    space: &Space,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Option<(AddressRange, Vec<Survivor>)> {
    // SAFETY: passed on to the caller.
    let objects = unsafe { objects_of(space, classes, sizes) }?;
    let last = objects.last()?;
    // A humongous object ends in another region than it starts.
    let end = space
        .top
        .max(last.from.plus(usize::try_from(last.bytes()).ok()?));
    let range = AddressRange {
        start: space.bottom,
        end,
    };
    Some((range, objects))
}

/// # Safety
/// As for [`ObjectWalk::new`].
unsafe fn objects_of(
    space: &Space,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Option<Vec<Survivor>> {
    // SAFETY: passed on to the caller.
    let walk = unsafe { ObjectWalk::new(space, classes, sizes) };
    walk.map(|object| {
        let object = object.ok()?;
        Survivor::new(object.address, object.address, object.bytes, object.class)
    })
    .collect()
}
