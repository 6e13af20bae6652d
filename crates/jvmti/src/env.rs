//! One JVMTI environment: checked calls through the function table.
//!
//! Every method calls one function of the specification and turns its error code into a value. Results in memory allocated by the VM are
//! copied or wrapped ([`VmArray`]) and deallocated. Names are bytes in modified UTF-8, without the final zero.
//!
//! **Contract for raw references.** `jclass`, `jthread`, `jobject` and `jmethodID` are pointers of the VM, passed to it unchecked. Callers
//! must not pass one that the VM did not give out, or a local reference whose frame is gone; see [`Env::from_raw`]. References in results
//! are JNI local references of the current thread.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "references are vouched for once, by the caller of the unsafe `Env::from_raw`"
)]

mod classes;
mod events;
mod fields;
mod heap;
mod heap_edges;
mod memory;
mod methods;
mod modules;
mod system;
mod threads;

use std::ptr::NonNull;

pub use classes::{class_status, is_retransforming};
pub use fields::FieldName;
pub use heap::{HeapReference, HeapVisitor, ReferenceVisitor, RootVisitor};
pub use heap_edges::{EdgeVisitor, HeapEdge};
pub use memory::VmArray;
pub use methods::{MethodName, SourceLine};
pub use threads::ThreadDescription;

use crate::error::Error;
use crate::error_code::ErrorCode;
use crate::function_table::FunctionTable;
use crate::raw_types::RawEnv;

/// A JVMTI environment. A copy refers to the same environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Env {
    raw: NonNull<RawEnv>,
}

// SAFETY: a JVMTI environment may be used from every thread (JVMTI specification, "Environments").
unsafe impl Send for Env {}
// SAFETY: its functions may run concurrently on several threads (same chapter).
unsafe impl Sync for Env {}

/// Calls one function of the table by its name and maps its error code.
macro_rules! call {
    ($env:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let env: $crate::env::Env = $env;
        match env.table().$name {
            None => Err($crate::error::Error::MissingFunction { function: stringify!($name) }),
            // SAFETY: the table belongs to this environment; out pointers live through the call; references follow the contract
            // of `Env::from_raw`.
            Some(function) => $crate::env::checked(stringify!($name), unsafe {
                function(env.as_raw() $(, $argument)*)
            }),
        }
    }};
}
use call;

/// Turns an error code into a result that names its function.
fn checked(function: &'static str, code: ErrorCode) -> Result<(), Error> {
    code.ok().map_err(|code| Error::Jvmti { function, code })
}

impl Env {
    /// Wraps a `jvmtiEnv*`; `None` for null.
    ///
    /// # Safety
    /// `raw` must be null or an environment of this process that is not disposed of while a copy is in use. References passed to its
    /// methods must come from this VM and still be valid.
    #[must_use]
    pub unsafe fn from_raw(raw: *mut RawEnv) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw })
    }

    /// The `jvmtiEnv*` of C.
    #[must_use]
    pub fn as_raw(self) -> *mut RawEnv {
        self.raw.as_ptr()
    }

    /// The function table, for functions without a wrapper.
    #[must_use]
    pub fn table(&self) -> &FunctionTable {
        // SAFETY: by the contract of `from_raw`, the environment is alive, and its first word points to the VM's table.
        unsafe { &*(*self.raw.as_ptr()).cast::<FunctionTable>() }
    }

    /// Disposes of the environment: its events stop, and its capabilities are relinquished.
    ///
    /// # Safety
    /// No copy of this environment may be used afterwards.
    pub unsafe fn dispose(self) -> Result<(), Error> {
        call!(self, DisposeEnvironment())
    }
}
