//! Checks what was reported about a full collection.
//!
//! - Every survivor was in the heap before, with this class and size, and is at its new address afterwards, with the same class, size and
//!   id.
//! - No id of an object that was reported dead is in the heap afterwards.
//! - Every object in the heap afterwards is a survivor or has an explanation: a filler, a dead object that
//!   G1 left in a region it did not compact, or (G1) an object in a region taken for allocation since.
//! - No two survivors have the same new address.

use std::collections::HashSet;

use ducktrack_hotspot::{Address, ClassTable, FullCollection, ObjectSizes, Survivor};

use crate::counts::Counts;
use crate::heap_picture::{HeapPicture, Seen};

/// The evidence to check a collection against.
pub(crate) struct Evidence<'a> {
    pub(crate) before: &'a HeapPicture,
    pub(crate) after: &'a HeapPicture,
    pub(crate) classes: &'a ClassTable,
    pub(crate) sizes: &'a ObjectSizes,
    /// G1: it leaves dead objects in place, and allocates in separate regions.
    pub(crate) in_regions: bool,
}

/// Checks a collection.
///
/// # Safety
/// The collection must be over, the world stopped, and nothing changed since.
pub(crate) unsafe fn check(
    collection: &FullCollection,
    survivors: &[Survivor],
    evidence: &Evidence<'_>,
    counts: &mut Counts,
) {
    let &Evidence {
        before,
        after,
        classes,
        in_regions,
        ..
    } = evidence;
    counts.dead += collection.dead;
    counts.unread += before.unread.len() as u64;
    if !after.unread.is_empty() && !in_regions {
        counts.wrong(|| format!("{:?} cannot be read afterwards", after.unread));
    }
    let mut alive = HashSet::new();
    let mut taken = HashSet::new();
    for survivor in survivors {
        // SAFETY: this function has the same requirements.
        unsafe { check_survivor(survivor, evidence, counts) };
        if !taken.insert(survivor.to) {
            counts.wrong(|| format!("{survivor:?} is not alone there"));
        }
        alive.insert(survivor.from);
    }
    check_number_of_dead(collection, survivors.len(), before, counts);
    let dead = dead_ids(before, &alive);
    counts.dead_ids += dead.len() as u64;
    for object in &after.objects {
        let lingers = before
            .at(object.address)
            .is_some_and(|was| same(was, object) && !alive.contains(&was.address));
        if dead.contains(&object.id) && !lingers {
            counts.wrong(|| format!("{object:?} should be dead"));
        }
        if taken.contains(&object.address) || (in_regions && object.young) {
            continue;
        }
        if is_filler(object, classes) {
            counts.fillers += 1;
        } else if in_regions && lingers {
            counts.lingering += 1;
        } else {
            counts.uncovered += 1;
            counts.wrong(|| format!("{object:?} is not the new place of a survivor"));
        }
    }
}

unsafe fn check_survivor(survivor: &Survivor, evidence: &Evidence<'_>, counts: &mut Counts) {
    let (before, after) = (evidence.before, evidence.after);
    if survivor.moved() {
        counts.moved += 1;
    } else {
        counts.stayed += 1;
    }
    let fits =
        |object: &&Seen| object.bytes as u64 == survivor.bytes() && object.class == survivor.class;
    let was = before.at(survivor.from).filter(fits);
    // SAFETY: this function has the same requirements.
    let read = || unsafe { after.read_unread(survivor.to, evidence.classes, evidence.sizes) };
    let is = after.at(survivor.to).copied().or_else(read);
    let is = is.as_ref().filter(fits);
    match (was, is) {
        (Some(was), Some(is)) if was.id == is.id => counts.ids += u64::from(was.id != 0),
        (None, Some(_)) if before.is_unread(survivor.from) => {}
        _ => counts.wrong(|| format!("{survivor:?} was {was:?}, is {is:?}")),
    }
}

/// Checks that every object before survived or died, if all could be read.
fn check_number_of_dead(
    collection: &FullCollection,
    survivors: usize,
    before: &HeapPicture,
    counts: &mut Counts,
) {
    let expected = before.objects.len() as u64;
    let reported = collection.dead + survivors as u64;
    if before.unread.is_empty() && reported != expected {
        counts.wrong(|| format!("{reported} survived or died instead of {expected}"));
    }
    let walked = collection.dead + survivors as u64;
    if collection.walked != walked {
        counts.wrong(|| format!("{} looked at, and not {}", walked, collection.walked));
    }
}

fn dead_ids(before: &HeapPicture, alive: &HashSet<Address>) -> HashSet<u64> {
    let dead = before
        .objects
        .iter()
        .filter(|object| object.id != 0 && !alive.contains(&object.address));
    let dead: HashSet<u64> = dead.map(|object| object.id).collect();
    // An id may exist twice: a dead object in an evacuated region may have the id of its live copy.
    let living = before
        .objects
        .iter()
        .filter(|object| object.id != 0 && alive.contains(&object.address));
    let living: HashSet<u64> = living.map(|object| object.id).collect();
    dead.difference(&living).copied().collect()
}

fn same(one: &Seen, other: &Seen) -> bool {
    one.class == other.class && one.bytes == other.bytes && one.id == other.id
}

/// Fillers have separate classes from JDK 19 on; before, they are int arrays and plain objects.
fn is_filler(object: &Seen, classes: &ClassTable) -> bool {
    let name = classes.class(object.class).map(|class| class.name.clone());
    let name = String::from_utf8_lossy(&name.unwrap_or_default()).into_owned();
    name.contains("jdk/internal/vm/Filler") || name == "[I" || name == "java/lang/Object"
}
