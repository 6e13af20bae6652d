//! Lists the whole heap after a collection whose moves are unknown.
//!
//! Level finish does not look inside a pause. If the pause turns out to have held a full collection, or an evacuation that failed in part,
//! the old copies and their forwarding are overwritten. Only the current heap can be read: every object of every space, with class and
//! size. Matching these objects with those before is left to the code that knows the earlier heap.
//!
//! ```text
//! before   A B C D      known to the code that tracks objects
//! after    B D          listed here: class, size, address
//! ```
//!
//! - *Dead objects.* A collector may leave dead objects in place (the dense prefix of Serial and Parallel, G1 regions that were not
//!   compacted). They cannot be distinguished from live ones and are listed. Objects of a filler class are left out.
//! - *A new TLAB in eden.* Up to JDK 21, Serial and Parallel serve the allocation that caused the collection before it is over: eden's top
//!   lies past memory that may hold stale objects. Young objects go to the old space while it has room, so if everything that eden seems to
//!   hold would have fitted there, eden is empty. Otherwise eden holds what parses.

use crate::address::Address;
use crate::classes::class_table::ClassTable;
use crate::classes::filler_class::only_fills;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::{ObjectSizes, ObjectWalk};
use crate::heap::space::{Space, SpaceKind};

/// Lists every object of the heap, ascending by address within each space.
///
/// `old_end`: end of the committed part of the old space before the collection (Serial and Parallel).
///
/// # Safety
/// The world must be stopped, moving ended, and memory below the tops committed.
pub(crate) unsafe fn list_heap(
    spaces: &[Space],
    old_end: Option<Address>,
    classes: &ClassTable,
    sizes: &ObjectSizes,
) -> Result<Vec<Survivor>, MovesFault> {
    let mut listed = Vec::new();
    for space in spaces.iter().filter(|space| space.kind.holds_objects()) {
        let is_carved = space.kind == SpaceKind::Eden && old_end.is_some();
        if is_carved && would_have_fitted(space, spaces, old_end) {
            continue;
        }
        // SAFETY: the caller vouches for the spaces.
        let walk = unsafe { ObjectWalk::new(space, classes, sizes) };
        for object in walk {
            let object = match object {
                Ok(object) => object,
                Err(_) if is_carved => break,
                Err(fault) => {
                    let space = space.index;
                    return Err(MovesFault::Unparsed { space, fault });
                }
            };
            if !only_fills(classes, object.class) {
                let (at, bytes) = (object.address, object.bytes);
                listed.extend(Survivor::new(at, at, bytes, object.class));
            }
        }
    }
    Ok(listed)
}

/// Whether the old space has room for everything that eden seems to hold.
fn would_have_fitted(eden: &Space, spaces: &[Space], old_end: Option<Address>) -> bool {
    let old = spaces.iter().find(|space| space.kind == SpaceKind::Old);
    let room = old
        .zip(old_end)
        .filter(|(old, end)| old.top <= *end)
        .map_or(0, |(old, end)| end.above(old.top));
    eden.top.above(eden.bottom) <= room
}

#[cfg(test)]
mod tests {
    use super::would_have_fitted;
    use crate::address::Address;
    use crate::heap::space::{Space, SpaceKind};

    #[test]
    fn eden_is_empty_where_the_old_space_had_room_for_it() {
        let space = |kind, bottom, top| Space {
            kind,
            index: 0,
            bottom: Address(bottom),
            top: Address(top),
        };
        let old = space(SpaceKind::Old, 0x1000, 0x1800);
        let eden = space(SpaceKind::Eden, 0x8000, 0x8100);
        let spaces = [old, eden];
        let fits = |end| would_have_fitted(&eden, &spaces, Some(Address(end)));
        assert!(fits(0x1900));
        assert!(!fits(0x18f8));
        // The old space has grown since.
        assert!(!fits(0x1400));
    }
}
