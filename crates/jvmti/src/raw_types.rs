//! The plain types of JVMTI, used by callbacks, structures and the function table.

use std::ffi::c_void;

use jni::sys::{jlong, jobject};

/// A thread: a JNI reference to a `java.lang.Thread`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jthread = jobject;
/// A thread group: a JNI reference to a `java.lang.ThreadGroup`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jthreadGroup = jobject;
/// A position in a method; in HotSpot the bytecode index.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jlocation = jlong;
/// A raw monitor, created by `CreateRawMonitor`.
#[allow(non_camel_case_types, reason = "the name of the specification")]
pub type jrawMonitorID = *mut c_void;
/// A `jboolean` as the VM stores it: any byte, zero means false. Not a Rust
/// `bool`, for which bytes other than 0 and 1 are undefined behaviour.
pub type JvmtiBoolean = u8;
/// The function table as callbacks see it: opaque. [`crate::FunctionTable`] has its slots.
#[repr(C)]
#[derive(Debug)]
pub struct OpaqueTable([u8; 0]);
/// The target of a `jvmtiEnv*`: a pointer to the function table. Callbacks receive `*mut RawEnv`.
pub type RawEnv = *const OpaqueTable;
