//! A walk over all references between reachable objects, with the place of each reference. Needs `can_tag_objects`.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use jni::sys::{jint, jlong};

use super::{Env, call};
use crate::enumerations::HeapReferenceKind;
use crate::error::Error;
use crate::heap_references::HeapReferenceInfo;
use crate::structures::HeapCallbacks;

/// Follow the references of this object (`JVMTI_VISIT_OBJECTS`).
const VISIT_OBJECTS: jint = 0x100;
/// End the walk (`JVMTI_VISIT_ABORT`).
const VISIT_ABORT: jint = 0x8000;

/// A reference between two objects, or of a root to an object.
#[derive(Clone, Copy, Debug)]
pub struct HeapEdge {
    /// The kind of the reference.
    pub kind: HeapReferenceKind,
    /// The index of the field or array element; -1 for other kinds.
    pub index: i32,
    /// The tag of the class of the referenced object.
    pub class_tag: jlong,
    /// Bytes of the referenced object.
    pub size: jlong,
    /// The tag of the referring object; `None` for a root.
    pub referrer_tag: Option<jlong>,
    /// Both objects are one.
    pub is_own: bool,
}

/// Visits the references of a walk over all reachable objects, roots included.
pub trait EdgeVisitor {
    /// Visits one reference. `tag` is that of the referenced object, and may be changed. Returns whether to continue.
    fn visit(&mut self, edge: HeapEdge, tag: &mut jlong) -> bool;
}

/// Passes one reference to the visitor. A panic ends the walk.
unsafe extern "system" fn visit_edge<V: EdgeVisitor>(
    kind: HeapReferenceKind,
    info: *const HeapReferenceInfo,
    class_tag: jlong,
    _referrer_class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    referrer_tag: *mut jlong,
    _length: jint,
    user_data: *mut c_void,
) -> jint {
    if tag.is_null() {
        return VISIT_OBJECTS;
    }
    let has_index = kind == HeapReferenceKind::FIELD
        || kind == HeapReferenceKind::STATIC_FIELD
        || kind == HeapReferenceKind::ARRAY_ELEMENT;
    let index = match has_index && !info.is_null() {
        // SAFETY: for these kinds the VM fills in the index, which is the first member of both structures.
        true => unsafe { (*info).field.index },
        false => -1,
    };
    // SAFETY: the VM passes null for a root, else a tag that may be read during the call.
    let referrer = (!referrer_tag.is_null()).then(|| unsafe { referrer_tag.read() });
    let edge = HeapEdge {
        kind,
        index,
        class_tag,
        size,
        referrer_tag: referrer,
        is_own: referrer_tag == tag,
    };
    // SAFETY: `follow_edges` passes its exclusively borrowed visitor, and the VM calls from one thread at a time.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    // SAFETY: the VM passes a tag that may be written during the call; that of the referring object was copied.
    let tag = unsafe { &mut *tag };
    match catch_unwind(AssertUnwindSafe(|| visitor.visit(edge, tag))) {
        Ok(true) => VISIT_OBJECTS,
        _ => VISIT_ABORT,
    }
}

impl Env {
    /// Visits every reference of a reachable object, and every root, at a safepoint.
    pub fn follow_edges<V: EdgeVisitor>(self, visitor: &mut V) -> Result<(), Error> {
        // SAFETY: all members are optional functions, for which all bits zero is None.
        let mut callbacks: HeapCallbacks = unsafe { std::mem::zeroed() };
        callbacks.heap_reference_callback = Some(visit_edge::<V>);
        let user_data: *const c_void = std::ptr::from_mut(visitor).cast_const().cast();
        call!(
            self,
            FollowReferences(0, null_mut(), null_mut(), &raw const callbacks, user_data)
        )
    }
}
