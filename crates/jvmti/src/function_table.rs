//! The JVMTI function table, which a `jvmtiEnv*` points to.
//!
//! The JVM Tool Interface gives an agent a pointer to a pointer to this table. Slot `n` (counted from 1, as in the specification and in
//! `jvmti.h`) is at byte offset `(n - 1) * 8` on a 64-bit machine.
//!
//! | slot | offset | what |
//! |---|---|---|
//! | 1 | 0x000 | reserved, null |
//! | 2 | 0x008 | `SetEventNotificationMode` |
//! | ... | | |
//! | 156 | 0x4D8 | `SetHeapSamplingInterval` |
//!
//! Example: a call of `Allocate` (slot 46) is a jump through the word at `*env + 45 * 8 = *env + 0x168`.
//!
//! The order, the names and the arguments are those of `jvmti.h` of JDK 25 (151 functions, 5 reserved slots). Older JVMs
//! have null in slots that came later (67, 118 and 119 came in 21), so every slot is an `Option`. The test
//! `tests/vm/header_layout.rs` compares each slot with the `jvmti.h` of every JDK on the machine.

use std::ffi::{c_char, c_void};

use jni::sys::{
    JNINativeInterface_, jclass, jdouble, jfieldID, jfloat, jint, jlong, jmethodID, jobject,
};

use crate::callback_types::{
    ExtensionEvent, HeapObjectCallback, HeapRootCallback, ObjectReferenceCallback,
    StackReferenceCallback, StartFunction,
};
use crate::capabilities::Capabilities;
use crate::enumerations::{
    EventKind, EventMode, HeapObjectFilter, JlocationFormat, Phase, VerboseFlag,
};
use crate::error_code::ErrorCode;
use crate::event_callbacks::EventCallbacks;
use crate::raw_types::{JvmtiBoolean, RawEnv, jlocation, jrawMonitorID, jthread, jthreadGroup};
use crate::structures::{
    ClassDefinition, ExtensionEventInfo, ExtensionFunctionInfo, FrameInfo, HeapCallbacks,
    LineNumberEntry, LocalVariableEntry, MonitorStackDepthInfo, MonitorUsage, StackInfo,
    ThreadGroupInfo, ThreadInfo, TimerInfo,
};

/// The type of one slot. Reserved slots are bare pointers; the others are functions that return an error code.
macro_rules! slot {
    (reserved) => { *mut c_void };
    (($($argument:ident: $type:ty),*)) => {
        Option<unsafe extern "system" fn(env: *mut RawEnv, $($argument: $type),*) -> ErrorCode>
    };
    // The one C-variadic function: exactly the named arguments are passed, nothing more.
    (($($argument:ident: $type:ty),*, ...)) => {
        Option<unsafe extern "C" fn(env: *mut RawEnv, $($argument: $type),*, ...) -> ErrorCode>
    };
}

/// Declares the table from one line per slot, and lists the slots by name and offset.
macro_rules! function_table {
    ($($number:literal $name:ident $signature:tt;)*) => {
        /// The function table of a JVMTI environment. The fields have the names and the order of `jvmti.h`.
        #[repr(C)]
        #[derive(Debug)]
        #[allow(non_snake_case, reason = "the names of the specification")]
        pub struct FunctionTable {
            $(
                #[doc = concat!("Slot ", stringify!($number), ": `", stringify!($name), "`.")]
                pub $name: slot!($signature),
            )*
        }

        impl FunctionTable {
            /// Number, name and byte offset of every slot, in order.
            pub const SLOTS: &[(usize, &str, usize)] =
                &[$(($number, stringify!($name), std::mem::offset_of!(FunctionTable, $name)),)*];
        }
    };
}

function_table! {
    1 reserved1 reserved;
    2 SetEventNotificationMode (mode: EventMode, event_type: EventKind, event_thread: jthread, ...);
    3 GetAllModules (module_count_ptr: *mut jint, modules_ptr: *mut *mut jobject);
    4 GetAllThreads (threads_count_ptr: *mut jint, threads_ptr: *mut *mut jthread);
    5 SuspendThread (thread: jthread);
    6 ResumeThread (thread: jthread);
    7 StopThread (thread: jthread, exception: jobject);
    8 InterruptThread (thread: jthread);
    9 GetThreadInfo (thread: jthread, info_ptr: *mut ThreadInfo);
    10 GetOwnedMonitorInfo (thread: jthread, owned_monitor_count_ptr: *mut jint, owned_monitors_ptr: *mut *mut jobject);
    11 GetCurrentContendedMonitor (thread: jthread, monitor_ptr: *mut jobject);
    12 RunAgentThread (thread: jthread, proc: Option<StartFunction>, arg: *const c_void, priority: jint);
    13 GetTopThreadGroups (group_count_ptr: *mut jint, groups_ptr: *mut *mut jthreadGroup);
    14 GetThreadGroupInfo (group: jthreadGroup, info_ptr: *mut ThreadGroupInfo);
    15 GetThreadGroupChildren (group: jthreadGroup, thread_count_ptr: *mut jint, threads_ptr: *mut *mut jthread, group_count_ptr: *mut jint, groups_ptr: *mut *mut jthreadGroup);
    16 GetFrameCount (thread: jthread, count_ptr: *mut jint);
    17 GetThreadState (thread: jthread, thread_state_ptr: *mut jint);
    18 GetCurrentThread (thread_ptr: *mut jthread);
    19 GetFrameLocation (thread: jthread, depth: jint, method_ptr: *mut jmethodID, location_ptr: *mut jlocation);
    20 NotifyFramePop (thread: jthread, depth: jint);
    21 GetLocalObject (thread: jthread, depth: jint, slot: jint, value_ptr: *mut jobject);
    22 GetLocalInt (thread: jthread, depth: jint, slot: jint, value_ptr: *mut jint);
    23 GetLocalLong (thread: jthread, depth: jint, slot: jint, value_ptr: *mut jlong);
    24 GetLocalFloat (thread: jthread, depth: jint, slot: jint, value_ptr: *mut jfloat);
    25 GetLocalDouble (thread: jthread, depth: jint, slot: jint, value_ptr: *mut jdouble);
    26 SetLocalObject (thread: jthread, depth: jint, slot: jint, value: jobject);
    27 SetLocalInt (thread: jthread, depth: jint, slot: jint, value: jint);
    28 SetLocalLong (thread: jthread, depth: jint, slot: jint, value: jlong);
    29 SetLocalFloat (thread: jthread, depth: jint, slot: jint, value: jfloat);
    30 SetLocalDouble (thread: jthread, depth: jint, slot: jint, value: jdouble);
    31 CreateRawMonitor (name: *const c_char, monitor_ptr: *mut jrawMonitorID);
    32 DestroyRawMonitor (monitor: jrawMonitorID);
    33 RawMonitorEnter (monitor: jrawMonitorID);
    34 RawMonitorExit (monitor: jrawMonitorID);
    35 RawMonitorWait (monitor: jrawMonitorID, millis: jlong);
    36 RawMonitorNotify (monitor: jrawMonitorID);
    37 RawMonitorNotifyAll (monitor: jrawMonitorID);
    38 SetBreakpoint (method: jmethodID, location: jlocation);
    39 ClearBreakpoint (method: jmethodID, location: jlocation);
    40 GetNamedModule (class_loader: jobject, package_name: *const c_char, module_ptr: *mut jobject);
    41 SetFieldAccessWatch (klass: jclass, field: jfieldID);
    42 ClearFieldAccessWatch (klass: jclass, field: jfieldID);
    43 SetFieldModificationWatch (klass: jclass, field: jfieldID);
    44 ClearFieldModificationWatch (klass: jclass, field: jfieldID);
    45 IsModifiableClass (klass: jclass, is_modifiable_class_ptr: *mut JvmtiBoolean);
    46 Allocate (size: jlong, mem_ptr: *mut *mut u8);
    47 Deallocate (mem: *mut u8);
    48 GetClassSignature (klass: jclass, signature_ptr: *mut *mut c_char, generic_ptr: *mut *mut c_char);
    49 GetClassStatus (klass: jclass, status_ptr: *mut jint);
    50 GetSourceFileName (klass: jclass, source_name_ptr: *mut *mut c_char);
    51 GetClassModifiers (klass: jclass, modifiers_ptr: *mut jint);
    52 GetClassMethods (klass: jclass, method_count_ptr: *mut jint, methods_ptr: *mut *mut jmethodID);
    53 GetClassFields (klass: jclass, field_count_ptr: *mut jint, fields_ptr: *mut *mut jfieldID);
    54 GetImplementedInterfaces (klass: jclass, interface_count_ptr: *mut jint, interfaces_ptr: *mut *mut jclass);
    55 IsInterface (klass: jclass, is_interface_ptr: *mut JvmtiBoolean);
    56 IsArrayClass (klass: jclass, is_array_class_ptr: *mut JvmtiBoolean);
    57 GetClassLoader (klass: jclass, classloader_ptr: *mut jobject);
    58 GetObjectHashCode (object: jobject, hash_code_ptr: *mut jint);
    59 GetObjectMonitorUsage (object: jobject, info_ptr: *mut MonitorUsage);
    60 GetFieldName (klass: jclass, field: jfieldID, name_ptr: *mut *mut c_char, signature_ptr: *mut *mut c_char, generic_ptr: *mut *mut c_char);
    61 GetFieldDeclaringClass (klass: jclass, field: jfieldID, declaring_class_ptr: *mut jclass);
    62 GetFieldModifiers (klass: jclass, field: jfieldID, modifiers_ptr: *mut jint);
    63 IsFieldSynthetic (klass: jclass, field: jfieldID, is_synthetic_ptr: *mut JvmtiBoolean);
    64 GetMethodName (method: jmethodID, name_ptr: *mut *mut c_char, signature_ptr: *mut *mut c_char, generic_ptr: *mut *mut c_char);
    65 GetMethodDeclaringClass (method: jmethodID, declaring_class_ptr: *mut jclass);
    66 GetMethodModifiers (method: jmethodID, modifiers_ptr: *mut jint);
    67 ClearAllFramePops (thread: jthread);
    68 GetMaxLocals (method: jmethodID, max_ptr: *mut jint);
    69 GetArgumentsSize (method: jmethodID, size_ptr: *mut jint);
    70 GetLineNumberTable (method: jmethodID, entry_count_ptr: *mut jint, table_ptr: *mut *mut LineNumberEntry);
    71 GetMethodLocation (method: jmethodID, start_location_ptr: *mut jlocation, end_location_ptr: *mut jlocation);
    72 GetLocalVariableTable (method: jmethodID, entry_count_ptr: *mut jint, table_ptr: *mut *mut LocalVariableEntry);
    73 SetNativeMethodPrefix (prefix: *const c_char);
    74 SetNativeMethodPrefixes (prefix_count: jint, prefixes: *mut *mut c_char);
    75 GetBytecodes (method: jmethodID, bytecode_count_ptr: *mut jint, bytecodes_ptr: *mut *mut u8);
    76 IsMethodNative (method: jmethodID, is_native_ptr: *mut JvmtiBoolean);
    77 IsMethodSynthetic (method: jmethodID, is_synthetic_ptr: *mut JvmtiBoolean);
    78 GetLoadedClasses (class_count_ptr: *mut jint, classes_ptr: *mut *mut jclass);
    79 GetClassLoaderClasses (initiating_loader: jobject, class_count_ptr: *mut jint, classes_ptr: *mut *mut jclass);
    80 PopFrame (thread: jthread);
    81 ForceEarlyReturnObject (thread: jthread, value: jobject);
    82 ForceEarlyReturnInt (thread: jthread, value: jint);
    83 ForceEarlyReturnLong (thread: jthread, value: jlong);
    84 ForceEarlyReturnFloat (thread: jthread, value: jfloat);
    85 ForceEarlyReturnDouble (thread: jthread, value: jdouble);
    86 ForceEarlyReturnVoid (thread: jthread);
    87 RedefineClasses (class_count: jint, class_definitions: *const ClassDefinition);
    88 GetVersionNumber (version_ptr: *mut jint);
    89 GetCapabilities (capabilities_ptr: *mut Capabilities);
    90 GetSourceDebugExtension (klass: jclass, source_debug_extension_ptr: *mut *mut c_char);
    91 IsMethodObsolete (method: jmethodID, is_obsolete_ptr: *mut JvmtiBoolean);
    92 SuspendThreadList (request_count: jint, request_list: *const jthread, results: *mut ErrorCode);
    93 ResumeThreadList (request_count: jint, request_list: *const jthread, results: *mut ErrorCode);
    94 AddModuleReads (module: jobject, to_module: jobject);
    95 AddModuleExports (module: jobject, pkg_name: *const c_char, to_module: jobject);
    96 AddModuleOpens (module: jobject, pkg_name: *const c_char, to_module: jobject);
    97 AddModuleUses (module: jobject, service: jclass);
    98 AddModuleProvides (module: jobject, service: jclass, impl_class: jclass);
    99 IsModifiableModule (module: jobject, is_modifiable_module_ptr: *mut JvmtiBoolean);
    100 GetAllStackTraces (max_frame_count: jint, stack_info_ptr: *mut *mut StackInfo, thread_count_ptr: *mut jint);
    101 GetThreadListStackTraces (thread_count: jint, thread_list: *const jthread, max_frame_count: jint, stack_info_ptr: *mut *mut StackInfo);
    102 GetThreadLocalStorage (thread: jthread, data_ptr: *mut *mut c_void);
    103 SetThreadLocalStorage (thread: jthread, data: *const c_void);
    104 GetStackTrace (thread: jthread, start_depth: jint, max_frame_count: jint, frame_buffer: *mut FrameInfo, count_ptr: *mut jint);
    105 reserved105 reserved;
    106 GetTag (object: jobject, tag_ptr: *mut jlong);
    107 SetTag (object: jobject, tag: jlong);
    108 ForceGarbageCollection ();
    109 IterateOverObjectsReachableFromObject (object: jobject, object_reference_callback: Option<ObjectReferenceCallback>, user_data: *const c_void);
    110 IterateOverReachableObjects (heap_root_callback: Option<HeapRootCallback>, stack_ref_callback: Option<StackReferenceCallback>, object_ref_callback: Option<ObjectReferenceCallback>, user_data: *const c_void);
    111 IterateOverHeap (object_filter: HeapObjectFilter, heap_object_callback: Option<HeapObjectCallback>, user_data: *const c_void);
    112 IterateOverInstancesOfClass (klass: jclass, object_filter: HeapObjectFilter, heap_object_callback: Option<HeapObjectCallback>, user_data: *const c_void);
    113 reserved113 reserved;
    114 GetObjectsWithTags (tag_count: jint, tags: *const jlong, count_ptr: *mut jint, object_result_ptr: *mut *mut jobject, tag_result_ptr: *mut *mut jlong);
    115 FollowReferences (heap_filter: jint, klass: jclass, initial_object: jobject, callbacks: *const HeapCallbacks, user_data: *const c_void);
    116 IterateThroughHeap (heap_filter: jint, klass: jclass, callbacks: *const HeapCallbacks, user_data: *const c_void);
    117 reserved117 reserved;
    118 SuspendAllVirtualThreads (except_count: jint, except_list: *const jthread);
    119 ResumeAllVirtualThreads (except_count: jint, except_list: *const jthread);
    120 SetJNIFunctionTable (function_table: *const JNINativeInterface_);
    121 GetJNIFunctionTable (function_table: *mut *mut JNINativeInterface_);
    122 SetEventCallbacks (callbacks: *const EventCallbacks, size_of_callbacks: jint);
    123 GenerateEvents (event_type: EventKind);
    124 GetExtensionFunctions (extension_count_ptr: *mut jint, extensions: *mut *mut ExtensionFunctionInfo);
    125 GetExtensionEvents (extension_count_ptr: *mut jint, extensions: *mut *mut ExtensionEventInfo);
    126 SetExtensionEventCallback (extension_event_index: jint, callback: Option<ExtensionEvent>);
    127 DisposeEnvironment ();
    128 GetErrorName (error: ErrorCode, name_ptr: *mut *mut c_char);
    129 GetJLocationFormat (format_ptr: *mut JlocationFormat);
    130 GetSystemProperties (count_ptr: *mut jint, property_ptr: *mut *mut *mut c_char);
    131 GetSystemProperty (property: *const c_char, value_ptr: *mut *mut c_char);
    132 SetSystemProperty (property: *const c_char, value_ptr: *const c_char);
    133 GetPhase (phase_ptr: *mut Phase);
    134 GetCurrentThreadCpuTimerInfo (info_ptr: *mut TimerInfo);
    135 GetCurrentThreadCpuTime (nanos_ptr: *mut jlong);
    136 GetThreadCpuTimerInfo (info_ptr: *mut TimerInfo);
    137 GetThreadCpuTime (thread: jthread, nanos_ptr: *mut jlong);
    138 GetTimerInfo (info_ptr: *mut TimerInfo);
    139 GetTime (nanos_ptr: *mut jlong);
    140 GetPotentialCapabilities (capabilities_ptr: *mut Capabilities);
    141 reserved141 reserved;
    142 AddCapabilities (capabilities_ptr: *const Capabilities);
    143 RelinquishCapabilities (capabilities_ptr: *const Capabilities);
    144 GetAvailableProcessors (processor_count_ptr: *mut jint);
    145 GetClassVersionNumbers (klass: jclass, minor_version_ptr: *mut jint, major_version_ptr: *mut jint);
    146 GetConstantPool (klass: jclass, constant_pool_count_ptr: *mut jint, constant_pool_byte_count_ptr: *mut jint, constant_pool_bytes_ptr: *mut *mut u8);
    147 GetEnvironmentLocalStorage (data_ptr: *mut *mut c_void);
    148 SetEnvironmentLocalStorage (data: *const c_void);
    149 AddToBootstrapClassLoaderSearch (segment: *const c_char);
    150 SetVerboseFlag (flag: VerboseFlag, value: JvmtiBoolean);
    151 AddToSystemClassLoaderSearch (segment: *const c_char);
    152 RetransformClasses (class_count: jint, classes: *const jclass);
    153 GetOwnedMonitorStackDepthInfo (thread: jthread, monitor_info_count_ptr: *mut jint, monitor_info_ptr: *mut *mut MonitorStackDepthInfo);
    154 GetObjectSize (object: jobject, size_ptr: *mut jlong);
    155 GetLocalInstance (thread: jthread, depth: jint, value_ptr: *mut jobject);
    156 SetHeapSamplingInterval (sampling_interval: jint);
}
