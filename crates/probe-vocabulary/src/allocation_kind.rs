//! The ways of allocating that are distinguished: the rewriter finds them in bytecode, traces and reports name them.

use serde::{Deserialize, Serialize};

/// How a site allocates; `name()` returns the word used in reports and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AllocationKind {
    /// The `new` instruction.
    New,
    /// `newarray` and `anewarray`.
    NewArray,
    /// One level of a `multianewarray`.
    MultiNewArray,
    /// A capturing lambda, at its `invokedynamic`.
    Lambda,
    /// A capturing method reference, at its `invokedynamic`.
    MethodReference,
    /// String concatenation, at its `invokedynamic`.
    StringConcat,
    /// `Integer.valueOf` and similar methods.
    Boxing,
    /// The array of a call with variable arguments.
    Varargs,
    /// `clone` of an object or array.
    Clone,
    /// `java.lang.reflect.Array.newInstance`.
    ArrayReflection,
    /// `Constructor.newInstance` and `Class.newInstance`.
    Reflection,
    /// A method handle that creates an object.
    MethodHandle,
    /// `Unsafe.allocateInstance` and `allocateUninitializedArray`.
    UnsafeAllocate,
    /// An object that deserialization creates without a constructor of its class.
    Deserialization,
    /// `Arrays.copyOf` and similar methods, which C2 replaces.
    Intrinsic,
    /// Allocated by native code through JNI.
    Jni,
    /// Allocated by the VM for a native method: the arrays of a stack trace.
    Vm,
    /// An `invokedynamic` or other construct not named above.
    Other,
}

impl AllocationKind {
    /// The word in JSON, CSV and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::NewArray => "newarray",
            Self::MultiNewArray => "multianewarray",
            Self::Lambda => "lambda",
            Self::MethodReference => "method-reference",
            Self::StringConcat => "string-concat",
            Self::Boxing => "boxing",
            Self::Varargs => "varargs",
            Self::Clone => "clone",
            Self::ArrayReflection => "array-reflection",
            Self::Reflection => "reflection",
            Self::MethodHandle => "method-handle",
            Self::UnsafeAllocate => "unsafe-allocate",
            Self::Deserialization => "deserialization",
            Self::Intrinsic => "intrinsic",
            Self::Jni => "jni",
            Self::Vm => "vm",
            Self::Other => "other",
        }
    }
}
