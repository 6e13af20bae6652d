//! JVMTI's report of a reference that it follows.

use jni::sys::{jint, jlong, jmethodID};

use crate::raw_types::jlocation;

/// The field of a reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoField {
    /// The field `index`.
    pub index: jint,
}

/// The array element of a reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoArray {
    /// The field `index`.
    pub index: jint,
}

/// The constant pool entry of a reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoConstantPool {
    /// The field `index`.
    pub index: jint,
}

/// The local variable that is a root.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoStackLocal {
    /// The field `thread_tag`.
    pub thread_tag: jlong,
    /// The field `thread_id`.
    pub thread_id: jlong,
    /// The field `depth`.
    pub depth: jint,
    /// The field `method`.
    pub method: jmethodID,
    /// The field `location`.
    pub location: jlocation,
    /// The field `slot`.
    pub slot: jint,
}

/// The JNI local reference that is a root.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoJniLocal {
    /// The field `thread_tag`.
    pub thread_tag: jlong,
    /// The field `thread_id`.
    pub thread_id: jlong,
    /// The field `depth`.
    pub depth: jint,
    /// The field `method`.
    pub method: jmethodID,
}

/// Space reserved by the specification.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapReferenceInfoReserved {
    /// Reserved.
    pub reserved1: jlong,
    /// Reserved.
    pub reserved2: jlong,
    /// Reserved.
    pub reserved3: jlong,
    /// Reserved.
    pub reserved4: jlong,
    /// Reserved.
    pub reserved5: jlong,
    /// Reserved.
    pub reserved6: jlong,
    /// Reserved.
    pub reserved7: jlong,
    /// Reserved.
    pub reserved8: jlong,
}

/// Details of one reference. The reference kind selects the member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union HeapReferenceInfo {
    /// The field `field`.
    pub field: HeapReferenceInfoField,
    /// The field `array`.
    pub array: HeapReferenceInfoArray,
    /// The field `constant_pool`.
    pub constant_pool: HeapReferenceInfoConstantPool,
    /// The field `stack_local`.
    pub stack_local: HeapReferenceInfoStackLocal,
    /// The field `jni_local`.
    pub jni_local: HeapReferenceInfoJniLocal,
    /// The field `other`.
    pub other: HeapReferenceInfoReserved,
}
