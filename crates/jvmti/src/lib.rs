//! Wraps the JVM Tool Interface and the part of JNI that an agent needs.
//!
//! Two layers:
//!
//! 1. **The binary interface**, laid out as in `jvmti.h` of JDK 25 and compared slot by slot with the header of every JDK on the machine
//!    (`tests/vm/header_layout.rs`): [`FunctionTable`], [`EventCallbacks`], [`Capabilities`], the structures and the enumerations. Values
//!    from the VM are transparent numbers, never Rust enums, so an unknown value is just a number without a name.
//! 2. **Checked calls**: [`Vm`] gives environments, [`Env`] calls JVMTI, [`Jni`] calls JNI for the current thread. Errors are values that
//!    name the function. Memory of the VM is deallocated. Java exceptions of our own calls are cleared and become values.
//!
//! ```text
//! Agent_OnLoad(JavaVM*) -> Vm::from_raw -> Vm::jvmti -> Env::add_capabilities
//!                                                    -> Env::set_event_callbacks -> Env::enable
//! callback(jvmtiEnv*, JNIEnv*, ...) -> guard(fallback, report, || Env::from_raw, Jni::from_raw, ...)
//! ```
//!
//! Every function passed to the VM wraps its body in [`guard`], so no panic unwinds into the VM's frames.

mod callback_types;
mod capabilities;
mod enumerations;
mod env;
mod error;
mod error_code;
mod event_callbacks;
mod function_table;
mod guard;
mod heap_references;
mod java_vm;
mod jni_env;
mod management;
mod raw_types;
mod structures;
mod tool_watch;

pub use callback_types::{
    ArrayPrimitiveValueCallback, ExtensionEvent, ExtensionFunction, HeapIterationCallback,
    HeapObjectCallback, HeapReferenceCallback, HeapRootCallback, ObjectReferenceCallback,
    PrimitiveFieldCallback, ReservedCallback, StackReferenceCallback, StartFunction,
    StringPrimitiveValueCallback,
};
pub use capabilities::{Capabilities, Capability};
pub use enumerations::{
    EventKind, EventMode, HeapObjectFilter, HeapReferenceKind, HeapRootKind, IterationControl,
    JlocationFormat, ObjectReferenceKind, ParamKind, ParamType, Phase, PrimitiveType, TimerKind,
    VerboseFlag,
};
pub use env::{
    EdgeVisitor, Env, FieldName, HeapEdge, HeapReference, HeapVisitor, MethodName,
    ReferenceVisitor, RootVisitor, SourceLine, ThreadDescription, VmArray, class_status,
    is_retransforming,
};
pub use error::Error;
pub use error_code::ErrorCode;
pub use event_callbacks::EventCallbacks;
pub use function_table::FunctionTable;
pub use guard::guard;
pub use heap_references::{
    HeapReferenceInfo, HeapReferenceInfoArray, HeapReferenceInfoConstantPool,
    HeapReferenceInfoField, HeapReferenceInfoJniLocal, HeapReferenceInfoReserved,
    HeapReferenceInfoStackLocal,
};
pub use java_vm::{JvmtiVersion, Vm};
/// The raw types of JNI (`jobject`, `JNIEnv`, ...), from the `jni` crate.
pub use jni::sys;
pub use jni_env::Jni;
pub use management::Management;
pub use raw_types::{
    JvmtiBoolean, OpaqueTable, RawEnv, jlocation, jrawMonitorID, jthread, jthreadGroup,
};
pub use structures::{
    AddrLocationMap, ClassDefinition, ExtensionEventInfo, ExtensionFunctionInfo, FrameInfo,
    HeapCallbacks, LineNumberEntry, LocalVariableEntry, MonitorStackDepthInfo, MonitorUsage,
    ParamInfo, STRUCTURE_SIZES, StackInfo, ThreadGroupInfo, ThreadInfo, TimerInfo,
};
