//! Types of functions passed to JVMTI calls. (Those for events are in `event_callbacks`.)

use std::ffi::c_void;

use jni::sys::{JNIEnv, jchar, jint, jlong, jmethodID, jvalue};

use crate::enumerations::{
    HeapReferenceKind, HeapRootKind, IterationControl, ObjectReferenceKind, PrimitiveType,
};
use crate::error_code::ErrorCode;
use crate::heap_references::HeapReferenceInfo;
use crate::raw_types::RawEnv;

/// The body of a thread started by `RunAgentThread`.
pub type StartFunction =
    unsafe extern "system" fn(jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, argument: *mut c_void);
/// Called for each object by `IterateThroughHeap`; returns visit control flags.
pub type HeapIterationCallback = unsafe extern "system" fn(
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    length: jint,
    user_data: *mut c_void,
) -> jint;
/// Called for each reference by `FollowReferences`; returns visit control flags.
pub type HeapReferenceCallback = unsafe extern "system" fn(
    kind: HeapReferenceKind,
    info: *const HeapReferenceInfo,
    class_tag: jlong,
    referrer_class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    referrer_tag: *mut jlong,
    length: jint,
    user_data: *mut c_void,
) -> jint;
/// Called for each primitive field by the heap functions.
pub type PrimitiveFieldCallback = unsafe extern "system" fn(
    kind: HeapReferenceKind,
    info: *const HeapReferenceInfo,
    object_class_tag: jlong,
    object_tag: *mut jlong,
    value: jvalue,
    value_type: PrimitiveType,
    user_data: *mut c_void,
) -> jint;
/// Called for each array of primitives by the heap functions.
pub type ArrayPrimitiveValueCallback = unsafe extern "system" fn(
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    element_count: jint,
    element_type: PrimitiveType,
    elements: *const c_void,
    user_data: *mut c_void,
) -> jint;
/// Called for each `java.lang.String` by the heap functions.
pub type StringPrimitiveValueCallback = unsafe extern "system" fn(
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    value: *const jchar,
    value_length: jint,
    user_data: *mut c_void,
) -> jint;
/// Space reserved by the specification.
pub type ReservedCallback = unsafe extern "system" fn() -> jint;
/// Called for each object by the heap iterations of JVMTI 1.0.
pub type HeapObjectCallback = unsafe extern "system" fn(
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    user_data: *mut c_void,
) -> IterationControl;
/// Called for each root by `IterateOverReachableObjects`.
pub type HeapRootCallback = unsafe extern "system" fn(
    kind: HeapRootKind,
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    user_data: *mut c_void,
) -> IterationControl;
/// Called for each stack root by `IterateOverReachableObjects`.
pub type StackReferenceCallback = unsafe extern "system" fn(
    kind: HeapRootKind,
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    thread_tag: jlong,
    depth: jint,
    method: jmethodID,
    slot: jint,
    user_data: *mut c_void,
) -> IterationControl;
/// Called for each reference by the heap functions of JVMTI 1.0.
pub type ObjectReferenceCallback = unsafe extern "system" fn(
    kind: ObjectReferenceKind,
    class_tag: jlong,
    size: jlong,
    tag: *mut jlong,
    referrer_tag: jlong,
    referrer_index: jint,
    user_data: *mut c_void,
) -> IterationControl;
/// An extension function. C-variadic: its arguments are described by `ExtensionFunctionInfo`.
pub type ExtensionFunction = unsafe extern "C" fn(env: *mut RawEnv, ...) -> ErrorCode;
/// An extension event. C-variadic in the header; the VM calls it with the arguments of `ExtensionEventInfo`.
pub type ExtensionEvent = unsafe extern "C" fn(env: *mut RawEnv, ...);
