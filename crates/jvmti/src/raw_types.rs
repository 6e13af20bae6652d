//! The plain types of JVMTI, from which callbacks, structures and the function table are made.

use std::ffi::c_void;

use jni::sys::{jlong, jobject};

/// A thread: a JNI reference to a `java.lang.Thread`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jthread = jobject;
/// A thread group: a JNI reference to a `java.lang.ThreadGroup`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jthreadGroup = jobject;
/// A place in a method; in HotSpot the bytecode index.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jlocation = jlong;
/// A raw monitor made by `CreateRawMonitor`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jrawMonitorID = *mut c_void;
/// A `jboolean` as the VM stores it: any byte, zero means false. Not a Rust `bool`, for which other bytes than 0 and 1 are undefined.
pub type JvmtiBoolean = u8;
/// The table of functions, as callbacks see it: they only pass it on. [`crate::FunctionTable`] has its slots.
#[repr(C)]
#[derive(Debug)]
pub struct OpaqueTable([u8; 0]);
/// What a `jvmtiEnv*` of C points at: a pointer to the function table. Callbacks receive `*mut RawEnv`.
pub type RawEnv = *const OpaqueTable;
