//! The structures of `jvmti.h` that are passed between agent and VM, with the fields in the order of the header.
//!
//! Sizes are checked against the header of every JDK on the machine by `tests/vm/header_layout.rs`; `STRUCTURE_SIZES` lists them. Example:
//! `jvmtiThreadInfo` is 32 bytes: `name` at 0, `priority` at 8, `is_daemon` at 12, `thread_group` at 16,
//! `context_class_loader` at 24.

use std::ffi::{c_char, c_void};

use jni::sys::{jclass, jint, jlong, jmethodID, jobject};

use crate::callback_types::{
    ArrayPrimitiveValueCallback, ExtensionFunction, HeapIterationCallback, HeapReferenceCallback,
    PrimitiveFieldCallback, ReservedCallback, StringPrimitiveValueCallback,
};
use crate::enumerations::{ParamKind, ParamType, TimerKind};
use crate::error_code::ErrorCode;
use crate::heap_references::{
    HeapReferenceInfo, HeapReferenceInfoArray, HeapReferenceInfoConstantPool,
    HeapReferenceInfoField, HeapReferenceInfoJniLocal, HeapReferenceInfoReserved,
    HeapReferenceInfoStackLocal,
};
use crate::raw_types::{JvmtiBoolean, jlocation, jthread, jthreadGroup};

/// The result of `GetThreadInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ThreadInfo {
    /// The field `name`.
    pub name: *mut c_char,
    /// The field `priority`.
    pub priority: jint,
    /// The field `is_daemon`.
    pub is_daemon: JvmtiBoolean,
    /// The field `thread_group`.
    pub thread_group: jthreadGroup,
    /// The field `context_class_loader`.
    pub context_class_loader: jobject,
}

/// A monitor and the depth of the frame that owns it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MonitorStackDepthInfo {
    /// The field `monitor`.
    pub monitor: jobject,
    /// The field `stack_depth`.
    pub stack_depth: jint,
}

/// The result of `GetThreadGroupInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ThreadGroupInfo {
    /// The field `parent`.
    pub parent: jthreadGroup,
    /// The field `name`.
    pub name: *mut c_char,
    /// The field `max_priority`.
    pub max_priority: jint,
    /// The field `is_daemon`.
    pub is_daemon: JvmtiBoolean,
}

/// One frame of a stack.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo {
    /// The field `method`.
    pub method: jmethodID,
    /// The field `location`.
    pub location: jlocation,
}

/// The stack of one thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StackInfo {
    /// The field `thread`.
    pub thread: jthread,
    /// The field `state`.
    pub state: jint,
    /// The field `frame_buffer`.
    pub frame_buffer: *mut FrameInfo,
    /// The field `frame_count`.
    pub frame_count: jint,
}

/// The callbacks of `FollowReferences` and `IterateThroughHeap`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HeapCallbacks {
    /// The field `heap_iteration_callback`.
    pub heap_iteration_callback: Option<HeapIterationCallback>,
    /// The field `heap_reference_callback`.
    pub heap_reference_callback: Option<HeapReferenceCallback>,
    /// The field `primitive_field_callback`.
    pub primitive_field_callback: Option<PrimitiveFieldCallback>,
    /// The field `array_primitive_value_callback`.
    pub array_primitive_value_callback: Option<ArrayPrimitiveValueCallback>,
    /// The field `string_primitive_value_callback`.
    pub string_primitive_value_callback: Option<StringPrimitiveValueCallback>,
    /// Reserved.
    pub reserved5: Option<ReservedCallback>,
    /// Reserved.
    pub reserved6: Option<ReservedCallback>,
    /// Reserved.
    pub reserved7: Option<ReservedCallback>,
    /// Reserved.
    pub reserved8: Option<ReservedCallback>,
    /// Reserved.
    pub reserved9: Option<ReservedCallback>,
    /// Reserved.
    pub reserved10: Option<ReservedCallback>,
    /// Reserved.
    pub reserved11: Option<ReservedCallback>,
    /// Reserved.
    pub reserved12: Option<ReservedCallback>,
    /// Reserved.
    pub reserved13: Option<ReservedCallback>,
    /// Reserved.
    pub reserved14: Option<ReservedCallback>,
    /// Reserved.
    pub reserved15: Option<ReservedCallback>,
}

/// New bytes for one class, for `RedefineClasses`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ClassDefinition {
    /// The field `klass`.
    pub klass: jclass,
    /// The field `class_byte_count`.
    pub class_byte_count: jint,
    /// The field `class_bytes`.
    pub class_bytes: *const u8,
}

/// The result of `GetObjectMonitorUsage`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MonitorUsage {
    /// The field `owner`.
    pub owner: jthread,
    /// The field `entry_count`.
    pub entry_count: jint,
    /// The field `waiter_count`.
    pub waiter_count: jint,
    /// The field `waiters`.
    pub waiters: *mut jthread,
    /// The field `notify_waiter_count`.
    pub notify_waiter_count: jint,
    /// The field `notify_waiters`.
    pub notify_waiters: *mut jthread,
}

/// One line of a line number table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LineNumberEntry {
    /// The field `start_location`.
    pub start_location: jlocation,
    /// The field `line_number`.
    pub line_number: jint,
}

/// One local variable of a method.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LocalVariableEntry {
    /// The field `start_location`.
    pub start_location: jlocation,
    /// The field `length`.
    pub length: jint,
    /// The field `name`.
    pub name: *mut c_char,
    /// The field `signature`.
    pub signature: *mut c_char,
    /// The field `generic_signature`.
    pub generic_signature: *mut c_char,
    /// The field `slot`.
    pub slot: jint,
}

/// One parameter of an extension function or event.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// The field `name`.
    pub name: *mut c_char,
    /// The field `kind`.
    pub kind: ParamKind,
    /// The field `base_type`.
    pub base_type: ParamType,
    /// Whether the argument may be null.
    pub null_ok: JvmtiBoolean,
}

/// One extension function of this VM.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ExtensionFunctionInfo {
    /// The field `func`.
    pub func: Option<ExtensionFunction>,
    /// The field `id`.
    pub id: *mut c_char,
    /// The field `short_description`.
    pub short_description: *mut c_char,
    /// The field `param_count`.
    pub param_count: jint,
    /// The field `params`.
    pub params: *mut ParamInfo,
    /// The field `error_count`.
    pub error_count: jint,
    /// The field `errors`.
    pub errors: *mut ErrorCode,
}

/// One extension event of this VM.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ExtensionEventInfo {
    /// The field `extension_event_index`.
    pub extension_event_index: jint,
    /// The field `id`.
    pub id: *mut c_char,
    /// The field `short_description`.
    pub short_description: *mut c_char,
    /// The field `param_count`.
    pub param_count: jint,
    /// The field `params`.
    pub params: *mut ParamInfo,
}

/// The properties of a timer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TimerInfo {
    /// The field `max_value`.
    pub max_value: jlong,
    /// The field `may_skip_forward`.
    pub may_skip_forward: JvmtiBoolean,
    /// The field `may_skip_backward`.
    pub may_skip_backward: JvmtiBoolean,
    /// The field `kind`.
    pub kind: TimerKind,
    /// Reserved.
    pub reserved1: jlong,
    /// Reserved.
    pub reserved2: jlong,
}

/// A bytecode index and its machine code address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AddrLocationMap {
    /// The field `start_address`.
    pub start_address: *const c_void,
    /// The field `location`.
    pub location: jlocation,
}

/// The C name and the size in bytes of every structure here.
pub const STRUCTURE_SIZES: &[(&str, usize)] = &[
    ("jvmtiThreadInfo", size_of::<ThreadInfo>()),
    (
        "jvmtiMonitorStackDepthInfo",
        size_of::<MonitorStackDepthInfo>(),
    ),
    ("jvmtiThreadGroupInfo", size_of::<ThreadGroupInfo>()),
    ("jvmtiFrameInfo", size_of::<FrameInfo>()),
    ("jvmtiStackInfo", size_of::<StackInfo>()),
    (
        "jvmtiHeapReferenceInfoField",
        size_of::<HeapReferenceInfoField>(),
    ),
    (
        "jvmtiHeapReferenceInfoArray",
        size_of::<HeapReferenceInfoArray>(),
    ),
    (
        "jvmtiHeapReferenceInfoConstantPool",
        size_of::<HeapReferenceInfoConstantPool>(),
    ),
    (
        "jvmtiHeapReferenceInfoStackLocal",
        size_of::<HeapReferenceInfoStackLocal>(),
    ),
    (
        "jvmtiHeapReferenceInfoJniLocal",
        size_of::<HeapReferenceInfoJniLocal>(),
    ),
    (
        "jvmtiHeapReferenceInfoReserved",
        size_of::<HeapReferenceInfoReserved>(),
    ),
    ("jvmtiHeapReferenceInfo", size_of::<HeapReferenceInfo>()),
    ("jvmtiHeapCallbacks", size_of::<HeapCallbacks>()),
    ("jvmtiClassDefinition", size_of::<ClassDefinition>()),
    ("jvmtiMonitorUsage", size_of::<MonitorUsage>()),
    ("jvmtiLineNumberEntry", size_of::<LineNumberEntry>()),
    ("jvmtiLocalVariableEntry", size_of::<LocalVariableEntry>()),
    ("jvmtiParamInfo", size_of::<ParamInfo>()),
    (
        "jvmtiExtensionFunctionInfo",
        size_of::<ExtensionFunctionInfo>(),
    ),
    ("jvmtiExtensionEventInfo", size_of::<ExtensionEventInfo>()),
    ("jvmtiTimerInfo", size_of::<TimerInfo>()),
    ("jvmtiAddrLocationMap", size_of::<AddrLocationMap>()),
];
