//! Lists objects that existed before the first observed collection: archives of the JDK, and old objects if the agent was attached late.
//!
//! These objects were allocated before recording began, and a young collection says nothing about them. So the first pause lists every
//! object of the spaces that are not young. The first report contains them as survivors that stayed (`from == to`), with their spaces among
//! the collected ranges. From then on the whole heap is known.
//!
//! Example: Serial starts with `java.lang.Class` mirrors of an archive in the old space `[0x8000, 0x9000)`, and the first young collection
//! collects eden `[0x1000, 0x2000)`. Its report has both ranges.

use crate::classes::class_table::ClassTable;
use crate::collection::report::CollectionReport;
use crate::collection::survivor::Survivor;
use crate::heap::address_range::AddressRange;
use crate::heap::object_walk::{ObjectSizes, ObjectWalk};
use crate::heap::space::Space;

/// The inventory: taken by the first pause, reported once.
#[derive(Debug, Default)]
pub(crate) enum FirstInventory {
    /// There has been no pause yet.
    #[default]
    Wanted,
    /// The objects that the first pause listed, by space.
    Taken(Vec<(AddressRange, Vec<Survivor>)>),
    /// Already reported.
    Given,
}

impl FirstInventory {
    /// Lists the objects of all spaces but the young ones, at the beginning of the first pause. Leaves out a space that cannot be walked;
    /// its objects are found when a collection decides about them.
    ///
    /// # Safety
    /// The world must be stopped, nothing moved yet, and memory below the tops committed.
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

    /// Adds the listed objects to the first report, except in ranges that its collection decided about.
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

/// The objects of a space, and the memory they occupy. `None` if the space is empty or cannot be walked.
///
/// # Safety
/// As for [`ObjectWalk::new`].
pub(crate) unsafe fn list_space(
    space: &Space,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Option<(AddressRange, Vec<Survivor>)> {
    // SAFETY: the caller upholds the same contract.
    let objects = unsafe { objects_of(space, classes, sizes) }?;
    let last = objects.last()?;
    // A humongous object ends in another region than it starts in.
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
    // SAFETY: the caller upholds the same contract.
    let walk = unsafe { ObjectWalk::new(space, classes, sizes) };
    walk.map(|object| {
        let object = object.ok()?;
        Survivor::new(object.address, object.address, object.bytes, object.class)
    })
    .collect()
}
