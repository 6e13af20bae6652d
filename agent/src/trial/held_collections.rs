//! Which collections and arrays are the program's: the JDK and the VM have such objects as well.
//!
//! `Object[]` is the class of an `ArrayList`'s elements, and of the VM's resolved references, of archived objects
//! and of a `Throwable`'s back trace; a `HashMap` may be the program's or the module system's. A collection counts
//! as the program's if a class, an object or a frame of the program holds it, or another collection that does. An
//! array must not also be held by a class whose fields the VM reads, or in an array that is not the program's.

use ducktrack_jvmti::sys::jlong;
use ducktrack_jvmti::{HeapReference, HeapReferenceKind};

/// Of a class: its objects' references are left alone.
pub(super) const LEFT_ALONE: jlong = 1 << 16;
/// Of a class of the JDK whose objects may lose references, if they are the program's.
pub(super) const COLLECTION: jlong = 1 << 17;
/// Of a class object.
pub(super) const CLASS: jlong = 1 << 18;
/// Of a collection: the program holds it; something does whose references are left alone.
const HELD_BY_PROGRAM: jlong = 1 << 19;
const HELD_BY_OTHERS: jlong = 1 << 20;
/// Of a collection.
const IS_COLLECTION: jlong = 1 << 21;

/// The tag of a collection with what this reference to it says; `None`: it is none.
pub(super) fn held_collection(reference: &HeapReference<'_>) -> Option<jlong> {
    if reference.class_tag & COLLECTION == 0 {
        return None;
    }
    let referrer = reference.referrer_tag.get();
    let holder = match reference.kind == HeapReferenceKind::STATIC_FIELD {
        true => referrer,
        false => reference.referrer_class_tag,
    };
    let is_collections = holder & COLLECTION != 0;
    let is_static = reference.kind == HeapReferenceKind::STATIC_FIELD;
    let held = match () {
        () if holder & LEFT_ALONE != 0 => HELD_BY_OTHERS,
        () if !is_collections => HELD_BY_PROGRAM,
        // A static field of the JDK.
        () if is_static => 0,
        () if referrer & HELD_BY_OTHERS != 0 => HELD_BY_OTHERS,
        () if referrer & HELD_BY_PROGRAM != 0 => HELD_BY_PROGRAM,
        () if reference.kind == HeapReferenceKind::ARRAY_ELEMENT => HELD_BY_OTHERS,
        () => 0,
    };
    Some(reference.tag.get() | held | IS_COLLECTION)
}

/// The bit in the tags of objects of this class, if it is a class of collections.
pub(super) fn collection_bit(class_tag: jlong) -> jlong {
    match class_tag & COLLECTION {
        0 => 0,
        _ => IS_COLLECTION,
    }
}

/// Whether an object with this tag may lose references, as far as its holders tell.
pub(super) fn is_the_programs(tag: jlong) -> bool {
    tag & IS_COLLECTION == 0 || tag & HELD_BY_PROGRAM != 0 && tag & HELD_BY_OTHERS == 0
}
