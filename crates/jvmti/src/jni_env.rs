//! The JNI environment of the current thread, with the calls that an agent needs.
//!
//! The `jni` crate's own wrapper ties references to lifetimes and turns pending exceptions into Rust errors, which does not suit callbacks
//! that run in every phase. So this is a thin layer over its raw types (`jni::sys`). Every method that can throw clears the exception and
//! returns [`Error::JavaException`], because a failed call of the agent must never surface in the program. A caller inside Java code, where
//! an exception may already be pending, saves it first with [`Jni::take_exception`] and restores it with [`Jni::throw`].
//!
//! References follow the contract of [`Jni::from_raw`]. Local references live until the native frame returns or their local frame is
//! popped; [`Jni::with_local_frame`] limits their life.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "references are vouched for once, by the caller of the unsafe `Jni::from_raw`"
)]

mod arrays;
mod calls;
mod classes;
mod exceptions;
mod fields;
mod foreign_exceptions;
mod references;
mod strings;

use std::marker::PhantomData;
use std::ptr::NonNull;

use jni::sys::{JNIEnv, jint};

use crate::error::Error;

/// The JNI environment of one thread. Must not be passed to another thread.
#[derive(Debug, Clone, Copy)]
pub struct Jni {
    raw: NonNull<JNIEnv>,
    thread_bound: PhantomData<*mut JNIEnv>,
}

/// Calls a function of the JNI table: the version that introduced it, its name, its arguments.
macro_rules! jni_call {
    ($jni:expr, $version:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        let env = $jni.as_raw();
        // SAFETY: the table is the VM's and has every function up to its version, which is at least that of JDK 11; pointers live
        // through the call; references follow the contract of `Jni::from_raw`.
        unsafe { ((**env).$version.$name)(env $(, $argument)*) }
    }};
}
use jni_call;

impl Jni {
    /// Wraps a `JNIEnv*`; `None` for null.
    ///
    /// # Safety
    /// `raw` must be null or the environment of the current thread. References and IDs passed to its methods must come from this VM, be
    /// still valid, and be of the kind that the method names.
    #[must_use]
    pub unsafe fn from_raw(raw: *mut JNIEnv) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self {
            raw,
            thread_bound: PhantomData,
        })
    }

    /// The `JNIEnv*` of C.
    #[must_use]
    pub fn as_raw(self) -> *mut JNIEnv {
        self.raw.as_ptr()
    }

    /// The JNI version of the VM, e.g. `0x0018_0000` for 24.
    #[must_use]
    pub fn version(self) -> jint {
        jni_call!(self, v1_1.GetVersion())
    }

    /// Returns `value`, unless the call left an exception, which is cleared and becomes an error.
    fn without_exception<T>(self, function: &'static str, value: T) -> Result<T, Error> {
        if self.drop_own_exception() {
            Err(Error::JavaException { function })
        } else {
            Ok(value)
        }
    }

    /// Returns `pointer`, unless the call left an exception or returned null.
    fn non_null<T>(self, function: &'static str, pointer: *mut T) -> Result<*mut T, Error> {
        let pointer = self.without_exception(function, pointer)?;
        if pointer.is_null() {
            Err(Error::NullResult { function })
        } else {
            Ok(pointer)
        }
    }

    /// Succeeds, unless the call left an exception or returned a negative status.
    fn status(self, function: &'static str, code: jint) -> Result<(), Error> {
        self.without_exception(function, ())?;
        if code < 0 {
            Err(Error::Jni { function, code })
        } else {
            Ok(())
        }
    }
}
