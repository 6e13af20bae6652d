//! Enumerations of `jvmti.h` as plain numbers with names.
//!
//! The VM may return a value that this list does not have (a newer JVM has more errors, phases and events). In a Rust `enum` such a value
//! is undefined behaviour. So each enumeration is a transparent `i32` with named constants, and an unknown value is just a number without a
//! name. The names are those of the header without their prefix; `NAMES` has the full names, for the test that compares every value with
//! the header.

/// Declares one enumeration as a transparent number with named constants.
macro_rules! enumeration {
    ($(#[$doc:meta])* $type:ident $prefix:literal { $($name:ident = $value:literal)* }) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $type(pub i32);

        impl $type {
            $(
                #[doc = concat!("`", $prefix, stringify!($name), "`.")]
                pub const $name: Self = Self($value);
            )*

            /// The name in the header and the value of every constant.
            pub const NAMES: &[(&str, i32)] = &[$((concat!($prefix, stringify!($name)), $value),)*];

            /// The name in the header, or `None` for a value that this list does not have.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                Self::NAMES.iter().find(|entry| entry.1 == self.0).map(|entry| entry.0)
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($type), "({})"), self.0),
                }
            }
        }
    };
}
pub(crate) use enumeration;

enumeration! {
    /// The number of an event.
    EventKind "JVMTI_EVENT_" {
        VM_INIT = 50
        VM_DEATH = 51
        THREAD_START = 52
        THREAD_END = 53
        CLASS_FILE_LOAD_HOOK = 54
        CLASS_LOAD = 55
        CLASS_PREPARE = 56
        VM_START = 57
        EXCEPTION = 58
        EXCEPTION_CATCH = 59
        SINGLE_STEP = 60
        FRAME_POP = 61
        BREAKPOINT = 62
        FIELD_ACCESS = 63
        FIELD_MODIFICATION = 64
        METHOD_ENTRY = 65
        METHOD_EXIT = 66
        NATIVE_METHOD_BIND = 67
        COMPILED_METHOD_LOAD = 68
        COMPILED_METHOD_UNLOAD = 69
        DYNAMIC_CODE_GENERATED = 70
        DATA_DUMP_REQUEST = 71
        MONITOR_WAIT = 73
        MONITOR_WAITED = 74
        MONITOR_CONTENDED_ENTER = 75
        MONITOR_CONTENDED_ENTERED = 76
        RESOURCE_EXHAUSTED = 80
        GARBAGE_COLLECTION_START = 81
        GARBAGE_COLLECTION_FINISH = 82
        OBJECT_FREE = 83
        VM_OBJECT_ALLOC = 84
        SAMPLED_OBJECT_ALLOC = 86
        VIRTUAL_THREAD_START = 87
        VIRTUAL_THREAD_END = 88
    }
}

enumeration! {
    /// Whether an event is enabled.
    EventMode "JVMTI_" {
        ENABLE = 1
        DISABLE = 0
    }
}

enumeration! {
    /// The phase of the VM's life.
    Phase "JVMTI_PHASE_" {
        ONLOAD = 1
        PRIMORDIAL = 2
        START = 6
        LIVE = 4
        DEAD = 8
    }
}

enumeration! {
    /// How one object refers to another, in `FollowReferences`.
    HeapReferenceKind "JVMTI_HEAP_REFERENCE_" {
        CLASS = 1
        FIELD = 2
        ARRAY_ELEMENT = 3
        CLASS_LOADER = 4
        SIGNERS = 5
        PROTECTION_DOMAIN = 6
        INTERFACE = 7
        STATIC_FIELD = 8
        CONSTANT_POOL = 9
        SUPERCLASS = 10
        JNI_GLOBAL = 21
        SYSTEM_CLASS = 22
        MONITOR = 23
        STACK_LOCAL = 24
        JNI_LOCAL = 25
        THREAD = 26
        OTHER = 27
    }
}

enumeration! {
    /// The type of a primitive value: the letter of its descriptor.
    PrimitiveType "JVMTI_PRIMITIVE_TYPE_" {
        BOOLEAN = 90
        BYTE = 66
        CHAR = 67
        SHORT = 83
        INT = 73
        LONG = 74
        FLOAT = 70
        DOUBLE = 68
    }
}

enumeration! {
    /// The objects that a heap iteration of JVMTI 1.0 visits.
    HeapObjectFilter "JVMTI_HEAP_OBJECT_" {
        TAGGED = 1
        UNTAGGED = 2
        EITHER = 3
    }
}

enumeration! {
    /// The kind of a root, in `IterateOverReachableObjects`.
    HeapRootKind "JVMTI_HEAP_ROOT_" {
        JNI_GLOBAL = 1
        SYSTEM_CLASS = 2
        MONITOR = 3
        STACK_LOCAL = 4
        JNI_LOCAL = 5
        THREAD = 6
        OTHER = 7
    }
}

enumeration! {
    /// How one object refers to another, in the heap functions of JVMTI 1.0.
    ObjectReferenceKind "JVMTI_REFERENCE_" {
        CLASS = 1
        FIELD = 2
        ARRAY_ELEMENT = 3
        CLASS_LOADER = 4
        SIGNERS = 5
        PROTECTION_DOMAIN = 6
        INTERFACE = 7
        STATIC_FIELD = 8
        CONSTANT_POOL = 9
    }
}

enumeration! {
    /// Whether a heap iteration of JVMTI 1.0 continues.
    IterationControl "JVMTI_ITERATION_" {
        CONTINUE = 1
        IGNORE = 2
        ABORT = 0
    }
}

enumeration! {
    /// The type of a parameter of an extension function or event.
    ParamType "JVMTI_TYPE_" {
        JBYTE = 101
        JCHAR = 102
        JSHORT = 103
        JINT = 104
        JLONG = 105
        JFLOAT = 106
        JDOUBLE = 107
        JBOOLEAN = 108
        JOBJECT = 109
        JTHREAD = 110
        JCLASS = 111
        JVALUE = 112
        JFIELDID = 113
        JMETHODID = 114
        CCHAR = 115
        CVOID = 116
        JNIENV = 117
    }
}

enumeration! {
    /// The direction and ownership of a parameter of an extension function or event.
    ParamKind "JVMTI_KIND_" {
        IN = 91
        IN_PTR = 92
        IN_BUF = 93
        ALLOC_BUF = 94
        ALLOC_ALLOC_BUF = 95
        OUT = 96
        OUT_BUF = 97
    }
}

enumeration! {
    /// The kind of time that a timer measures.
    TimerKind "JVMTI_TIMER_" {
        USER_CPU = 30
        TOTAL_CPU = 31
        ELAPSED = 32
    }
}

enumeration! {
    /// The output that `SetVerboseFlag` enables.
    VerboseFlag "JVMTI_VERBOSE_" {
        OTHER = 0
        GC = 1
        CLASS = 2
        JNI = 4
    }
}

enumeration! {
    /// The meaning of a `jlocation`.
    JlocationFormat "JVMTI_JLOCATION_" {
        JVMBCI = 1
        MACHINEPC = 2
        OTHER = 0
    }
}
