//! Knowing the heap anew after a fault.
//!
//! A fault ends the knowledge of moves: what lives where is not known any more. The next full collection that is read without one knows every live object
//! and its new place, independent of what the trace knew before. Its report is marked ([`CollectionReport::anew`]) and says of the whole heap what lives; the spaces that it does not
//! decide about (archives of the JDK) are listed as [`crate::first_inventory`] lists them. From then on moves are followed as before.
//!
//! ```text
//! young  fault: a space does not parse      moves off
//! young  not looked at                      moves off
//! full   read at its phases                 anew: survivors = the heap
//! young  known
//! ```
//!
//! This is level exact. At level finish the heap that a full collection left is listed instead: [`crate::listed_heap`].

use crate::class_table::ClassTable;
use crate::collection_report::{AddressRange, CollectionReport, MovesFault};
use crate::first_inventory::list_space;
use crate::full_collection::is_collected;
use crate::object_walk::ObjectSizes;
use crate::survivor::Survivor;

/// Completes the report of a full collection to the whole heap.
///
/// # Safety
/// The world is stopped, and memory below the tops is committed.
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
        // SAFETY: the caller vouches for the spaces; nothing moves in these.
        let of_space = unsafe { list_space(space, classes, sizes) };
        listed.push(of_space.ok_or(MovesFault::PhaseMissed {
            phase: "the inventory of a space that is not collected",
        })?);
    }
    report.add_listed(listed);
    report.anew = true;
    Ok(())
}
