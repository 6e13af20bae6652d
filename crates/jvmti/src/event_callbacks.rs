//! The callbacks passed to `SetEventCallbacks`, one pointer per event.
//!
//! The callback of event `e` is at byte offset `(e - 50) * 8`. Example: `ClassFileLoadHook` is event 54, so its pointer is at `(54 - 50) *
//! 8 = 0x20`. The call passes the size, so an older VM reads only the pointers it knows.

use std::ffi::{c_char, c_void};

use jni::sys::{JNIEnv, jclass, jfieldID, jint, jlong, jmethodID, jobject, jvalue};

use crate::raw_types::{JvmtiBoolean, RawEnv, jlocation, jthread};
use crate::structures::AddrLocationMap;

/// The type of one callback. Reserved entries are bare pointers that stay null.
macro_rules! callback {
    (reserved) => { *mut c_void };
    (($($argument:ident: $type:ty),*)) => {
        Option<unsafe extern "system" fn($($argument: $type),*)>
    };
}

/// Declares the structure from one line per event, and lists the events by number, name and offset.
macro_rules! event_callbacks {
    ($($number:literal $name:ident $signature:tt;)*) => {
        /// One optional callback per event. `Default` has none set.
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        #[allow(non_snake_case, reason = "the names of the specification")]
        pub struct EventCallbacks {
            $(
                #[doc = concat!("Event ", stringify!($number), ": `", stringify!($name), "`.")]
                pub $name: callback!($signature),
            )*
        }

        impl EventCallbacks {
            /// Event number, name and byte offset of every callback, in order.
            pub const SLOTS: &[(usize, &str, usize)] =
                &[$(($number, stringify!($name), std::mem::offset_of!(EventCallbacks, $name)),)*];
        }
    };
}

event_callbacks! {
    50 VMInit (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread);
    51 VMDeath (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv);
    52 ThreadStart (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread);
    53 ThreadEnd (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread);
    54 ClassFileLoadHook (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, class_being_redefined: jclass, loader: jobject, name: *const c_char, protection_domain: jobject, class_data_len: jint, class_data: *const u8, new_class_data_len: *mut jint, new_class_data: *mut *mut u8);
    55 ClassLoad (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, klass: jclass);
    56 ClassPrepare (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, klass: jclass);
    57 VMStart (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv);
    58 Exception (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation, exception: jobject, catch_method: jmethodID, catch_location: jlocation);
    59 ExceptionCatch (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation, exception: jobject);
    60 SingleStep (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation);
    61 FramePop (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, was_popped_by_exception: JvmtiBoolean);
    62 Breakpoint (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation);
    63 FieldAccess (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation, field_klass: jclass, object: jobject, field: jfieldID);
    64 FieldModification (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, location: jlocation, field_klass: jclass, object: jobject, field: jfieldID, signature_type: c_char, new_value: jvalue);
    65 MethodEntry (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID);
    66 MethodExit (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, was_popped_by_exception: JvmtiBoolean, return_value: jvalue);
    67 NativeMethodBind (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, method: jmethodID, address: *mut c_void, new_address_ptr: *mut *mut c_void);
    68 CompiledMethodLoad (jvmti_env: *mut RawEnv, method: jmethodID, code_size: jint, code_addr: *const c_void, map_length: jint, map: *const AddrLocationMap, compile_info: *const c_void);
    69 CompiledMethodUnload (jvmti_env: *mut RawEnv, method: jmethodID, code_addr: *const c_void);
    70 DynamicCodeGenerated (jvmti_env: *mut RawEnv, name: *const c_char, address: *const c_void, length: jint);
    71 DataDumpRequest (jvmti_env: *mut RawEnv);
    72 reserved72 reserved;
    73 MonitorWait (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject, timeout: jlong);
    74 MonitorWaited (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject, timed_out: JvmtiBoolean);
    75 MonitorContendedEnter (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject);
    76 MonitorContendedEntered (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject);
    77 reserved77 reserved;
    78 reserved78 reserved;
    79 reserved79 reserved;
    80 ResourceExhausted (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, flags: jint, reserved: *const c_void, description: *const c_char);
    81 GarbageCollectionStart (jvmti_env: *mut RawEnv);
    82 GarbageCollectionFinish (jvmti_env: *mut RawEnv);
    83 ObjectFree (jvmti_env: *mut RawEnv, tag: jlong);
    84 VMObjectAlloc (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject, object_klass: jclass, size: jlong);
    85 reserved85 reserved;
    86 SampledObjectAlloc (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, thread: jthread, object: jobject, object_klass: jclass, size: jlong);
    87 VirtualThreadStart (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, virtual_thread: jthread);
    88 VirtualThreadEnd (jvmti_env: *mut RawEnv, jni_env: *mut JNIEnv, virtual_thread: jthread);
}

impl Default for EventCallbacks {
    fn default() -> Self {
        // SAFETY: every field is an optional function pointer or a bare pointer; all bits zero is a valid value
        // of both (None and null).
        unsafe { std::mem::zeroed() }
    }
}
