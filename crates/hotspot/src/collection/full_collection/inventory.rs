//! Learns the heap again after a fault.
//!
//! After a fault, object addresses are no longer known. The next full collection that is read without a fault gives every live object and
//! its new place, whatever the trace knew before. Its report is marked ([`CollectionReport::anew`]) and lists all live objects of the heap;
//! spaces that it does not collect (archives of the JDK) are listed by `first_inventory`. From then on moves are followed again.
//!
//! ```text
//! young  fault: a space does not parse      moves are off
//! young  not read                           moves are off
//! full   read at its phases                 starts anew: survivors = the heap
//! young  known
//! ```

use crate::classes::class_table::ClassTable;
use crate::collection::first_inventory::list_space;
use crate::collection::full_collection::is_collected;
use crate::collection::report::{CollectionReport, MovesFault};
use crate::collection::survivor::Survivor;
use crate::heap::address_range::AddressRange;
use crate::heap::object_walk::ObjectSizes;

/// Extends the report of a full collection to the whole heap.
///
/// # Safety
/// The world must be stopped, and memory below the tops committed.
pub(crate) unsafe fn take_anew(
    report: &mut CollectionReport,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<(), MovesFault> {
    let mut listed: Vec<(AddressRange, Vec<Survivor>)> = Vec::new();
    let others = report
        .before
        .iter()
        .filter(|space| space.kind.holds_objects() && !is_collected(space));
    for space in others.filter(|space| space.bottom < space.top) {
        // SAFETY: the caller vouches for the spaces, and nothing moves in these.
        let of_space = unsafe { list_space(space, classes, sizes) };
        listed.push(of_space.ok_or(MovesFault::PhaseMissed {
            phase: "the inventory of a space that is not collected",
        })?);
    }
    report.add_listed(listed);
    report.anew = true;
    Ok(())
}
