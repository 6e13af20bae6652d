//! Tags and heap iteration. Needs `can_tag_objects`.
//!
//! A tag is a 64-bit number that an environment stores for an object; 0 means none. An iteration visits every object at a safepoint. The
//! visitor must not call JNI or most of JVMTI.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use jni::sys::{jclass, jint, jlong, jobject};

use super::{Env, VmArray, call};
use crate::enumerations::HeapReferenceKind;
use crate::error::{Error, length_for_vm};
use crate::heap_references::HeapReferenceInfo;
use crate::structures::HeapCallbacks;

/// Follow the references of this object (`JVMTI_VISIT_OBJECTS`). Ignored by iterations.
const VISIT_OBJECTS: jint = 0x100;
/// End the iteration (`JVMTI_VISIT_ABORT`).
const VISIT_ABORT: jint = 0x8000;

/// Visits the objects of a heap iteration.
pub trait HeapVisitor {
    /// Visits one object. Arguments: the tag of its class, its size in bytes, its own tag, which may be changed, and its length if it is an
    /// array. Returns whether to continue.
    fn visit(
        &mut self,
        class_tag: jlong,
        size: jlong,
        tag: &mut jlong,
        array_length: Option<i32>,
    ) -> bool;
}

/// Passes one object to the visitor. A panic ends the iteration.
unsafe extern "system" fn visit_object<V: HeapVisitor>(
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    length: jint,
    user_data: *mut c_void,
) -> jint {
    // SAFETY: `iterate_through_heap` passes its exclusively borrowed visitor, and the VM calls from one thread at a time.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    // SAFETY: the VM passes a tag that may be written during the call.
    let tag = unsafe { &mut *tag };
    let array_length = (length >= 0).then_some(length);
    let going = catch_unwind(AssertUnwindSafe(|| {
        visitor.visit(class_tag, size, tag, array_length)
    }));
    if let Ok(true) = going {
        VISIT_OBJECTS
    } else {
        VISIT_ABORT
    }
}

/// Visits the references of a walk over all reachable objects.
pub trait ReferenceVisitor {
    /// Visits one reference between two objects. Returns whether to continue.
    fn visit(&mut self, reference: &HeapReference<'_>) -> bool;
}

/// A reference from a field, a static field, an array element or a frame. Tags may
/// be changed. If an object refers to itself, both its tags are the same cell.
#[derive(Debug)]
pub struct HeapReference<'a> {
    /// The kind of reference: a field, an element, a static field (the
    /// referring object is then the class object), or a frame (it has no tags).
    pub kind: HeapReferenceKind,
    /// The tag of the class of the referenced object.
    pub class_tag: jlong,
    /// The tag of the class of the referring object.
    pub referrer_class_tag: jlong,
    /// The tag of the referenced object.
    pub tag: &'a Cell<jlong>,
    /// The tag of the referring object.
    pub referrer_tag: &'a Cell<jlong>,
}

/// Passes one reference to the visitor if it is from a field, an array element or a frame. A panic ends the walk.
unsafe extern "system" fn visit_reference<V: ReferenceVisitor>(
    kind: HeapReferenceKind,
    _info: *const HeapReferenceInfo,
    class_tag: jlong,
    referrer_class_tag: jlong,
    _size: jlong,
    tag: *mut jlong,
    referrer_tag: *mut jlong,
    _length: jint,
    user_data: *mut c_void,
) -> jint {
    let is_of_object = kind == HeapReferenceKind::FIELD
        || kind == HeapReferenceKind::ARRAY_ELEMENT
        || kind == HeapReferenceKind::STATIC_FIELD
        || kind == HeapReferenceKind::STACK_LOCAL;
    if !is_of_object || tag.is_null() {
        return VISIT_OBJECTS;
    }
    let mut of_frame = 0;
    let referrer_tag = match referrer_tag.is_null() {
        true => &raw mut of_frame,
        false => referrer_tag,
    };
    // SAFETY: `follow_references` passes its exclusively borrowed visitor, and the VM calls from one thread at a time.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    // SAFETY: the VM passes tags that may be read and written during the call; cells may alias.
    let (tag, referrer_tag) = unsafe {
        (
            &*tag.cast_const().cast::<Cell<jlong>>(),
            &*referrer_tag.cast_const().cast::<Cell<jlong>>(),
        )
    };
    let reference = HeapReference {
        kind,
        class_tag,
        referrer_class_tag,
        tag,
        referrer_tag,
    };
    match catch_unwind(AssertUnwindSafe(|| visitor.visit(&reference))) {
        Ok(true) => VISIT_OBJECTS,
        _ => VISIT_ABORT,
    }
}

/// Visits what holds objects directly.
pub trait RootVisitor {
    /// Visits an object that is held so, with its tag, which may be changed. An object comes once for each that holds it.
    fn visit(&mut self, kind: HeapReferenceKind, tag: &mut jlong);
}

/// Passes one root to the visitor, and does not follow it. A panic ends the walk.
unsafe extern "system" fn visit_root<V: RootVisitor>(
    kind: HeapReferenceKind,
    _info: *const HeapReferenceInfo,
    _class_tag: jlong,
    _referrer_class_tag: jlong,
    _size: jlong,
    tag: *mut jlong,
    _referrer_tag: *mut jlong,
    _length: jint,
    user_data: *mut c_void,
) -> jint {
    if tag.is_null() {
        return 0;
    }
    // SAFETY: `heap_roots` passes its exclusively borrowed visitor, and the VM calls from one thread at a time.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    // SAFETY: the VM passes a tag that may be written during the call.
    let tag = unsafe { &mut *tag };
    match catch_unwind(AssertUnwindSafe(|| visitor.visit(kind, tag))) {
        Ok(()) => 0,
        Err(_) => VISIT_ABORT,
    }
}

impl Env {
    /// The tag of an object; 0 if it has none.
    pub fn tag(self, object: jobject) -> Result<jlong, Error> {
        let mut tag = 0;
        call!(self, GetTag(object, &raw mut tag))?;
        Ok(tag)
    }

    /// Sets the tag of an object; 0 removes it.
    pub fn set_tag(self, object: jobject, tag: jlong) -> Result<(), Error> {
        call!(self, SetTag(object, tag))
    }

    /// The objects with one of these tags, as local references.
    pub fn objects_with_tags(self, tags: &[jlong]) -> Result<VmArray<jobject>, Error> {
        let count = length_for_vm("GetObjectsWithTags", tags.len())?;
        let (mut found, mut objects) = (0, null_mut());
        call!(
            self,
            GetObjectsWithTags(
                count,
                tags.as_ptr(),
                &raw mut found,
                &raw mut objects,
                null_mut()
            )
        )?;
        self.take_array("GetObjectsWithTags", found, objects)
    }

    /// The size of an object in bytes, as the VM lays it out.
    pub fn object_size(self, object: jobject) -> Result<jlong, Error> {
        let mut size = 0;
        call!(self, GetObjectSize(object, &raw mut size))?;
        Ok(size)
    }

    /// Visits every object in the heap, reachable or not. `class` (or null)
    /// and `filter` (bits of `JVMTI_HEAP_FILTER_*`) restrict the visit.
    pub fn iterate_through_heap<V: HeapVisitor>(
        self,
        filter: i32,
        class: jclass,
        visitor: &mut V,
    ) -> Result<(), Error> {
        // SAFETY: all members are optional functions, for which all bits zero is None.
        let mut callbacks: HeapCallbacks = unsafe { std::mem::zeroed() };
        callbacks.heap_iteration_callback = Some(visit_object::<V>);
        let user_data: *const c_void = std::ptr::from_mut(visitor).cast_const().cast();
        call!(
            self,
            IterateThroughHeap(filter, class, &raw const callbacks, user_data)
        )
    }

    /// Visits the roots of the heap at a safepoint; nothing is followed.
    pub fn heap_roots<V: RootVisitor>(self, visitor: &mut V) -> Result<(), Error> {
        // SAFETY: all members are optional functions, for which all bits zero is None.
        let mut callbacks: HeapCallbacks = unsafe { std::mem::zeroed() };
        callbacks.heap_reference_callback = Some(visit_root::<V>);
        let user_data: *const c_void = std::ptr::from_mut(visitor).cast_const().cast();
        call!(
            self,
            FollowReferences(0, null_mut(), null_mut(), &raw const callbacks, user_data)
        )
    }

    /// Visits every reference from a field or array element of a reachable object.
    pub fn follow_references<V: ReferenceVisitor>(self, visitor: &mut V) -> Result<(), Error> {
        // SAFETY: all members are optional functions, for which all bits zero is None.
        let mut callbacks: HeapCallbacks = unsafe { std::mem::zeroed() };
        callbacks.heap_reference_callback = Some(visit_reference::<V>);
        let user_data: *const c_void = std::ptr::from_mut(visitor).cast_const().cast();
        call!(
            self,
            FollowReferences(0, null_mut(), null_mut(), &raw const callbacks, user_data)
        )
    }
}
