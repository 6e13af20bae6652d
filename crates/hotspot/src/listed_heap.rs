//! The whole heap as a collection left it, where its moves are not known.
//!
//! At level finish there is no look inside a pause. When it turns out to have held a full collection, or an evacuation that failed in part, the old copies are
//! overwritten, and forwarding is gone. What is left to read is the heap as it is now: every object of every space, with class and size. Who it was before is for
//! the code that knows the heap before.
//!
//! ```text
//! before   A B C D      known to the code that follows objects
//! after    B D          listed here: class, size, address
//! ```
//!
//! - *Dead wood.* A collector may leave dead objects where they are (the dense prefix of Serial and Parallel, regions of G1 that were not compacted). Nothing tells
//!   them from live ones: they are listed. What has a filler's class is left out.
//! - *A new buffer in eden.* Up to JDK 21, Serial and Parallel serve the allocation that caused the collection before it is over: eden's top is after memory in
//!   which nothing was made yet, and stale objects may be there. Young objects go to the old space as long as it has room; so where all that eden seems to hold
//!   would have fitted in there, eden is empty. Elsewhere it holds what parses.

use crate::address::Address;
use crate::class_table::ClassTable;
use crate::collection_report::MovesFault;
use crate::filler_class::only_fills;
use crate::object_walk::{ObjectSizes, ObjectWalk};
use crate::space::{Space, SpaceKind};
use crate::survivor::Survivor;

/// Lists every object of the heap, ascending by address within each space.
///
/// `old_end`: where the committed part of the old space ended before the collection (Serial and Parallel).
///
/// # Safety
/// The world is stopped, moving has ended, and memory below the tops is committed.
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

/// Is there room in the old space for all that eden seems to hold?
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
    use crate::space::{Space, SpaceKind};

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
        // The old space has grown meanwhile.
        assert!(!fits(0x1400));
    }
}
