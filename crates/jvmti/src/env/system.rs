//! The VM as a whole: phase, time, properties, collections, the JNI table.

use std::ffi::c_char;
use std::ptr::{NonNull, null_mut};

use jni::sys::JNINativeInterface_;

use super::{Env, call};
use crate::enumerations::Phase;
use crate::error::{Error, c_string};
use crate::error_code::ErrorCode;

impl Env {
    /// The current phase. Callable in every phase.
    pub fn phase(self) -> Result<Phase, Error> {
        let mut phase = Phase(0);
        call!(self, GetPhase(&raw mut phase))?;
        Ok(phase)
    }

    /// Nanoseconds of the VM's own clock (`System.nanoTime`).
    pub fn time_nanos(self) -> Result<i64, Error> {
        let mut nanos = 0;
        call!(self, GetTime(&raw mut nanos))?;
        Ok(nanos)
    }

    /// A system property as the VM knows it, without later changes by Java code; `None` if there is none.
    pub fn system_property(self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let name = c_string("GetSystemProperty", name)?;
        let mut value: *mut c_char = null_mut();
        match call!(self, GetSystemProperty(name.as_ptr(), &raw mut value)) {
            Err(Error::Jvmti {
                code: ErrorCode::NOT_AVAILABLE,
                ..
            }) => Ok(None),
            other => other.map(|()| self.take_string(value)),
        }
    }

    /// Runs a full collection, and returns when it has finished.
    pub fn force_garbage_collection(self) -> Result<(), Error> {
        call!(self, ForceGarbageCollection())
    }

    /// A copy of the current JNI function table, allocated by the VM. Meant to be changed and passed to [`Env::set_jni_function_table`],
    /// which copies it. The caller must free it with [`Env::deallocate`].
    pub fn jni_function_table(self) -> Result<NonNull<JNINativeInterface_>, Error> {
        let mut table = null_mut();
        call!(self, GetJNIFunctionTable(&raw mut table))?;
        NonNull::new(table).ok_or(Error::NullResult {
            function: "GetJNIFunctionTable",
        })
    }

    /// Replaces the JNI function table of every thread. The VM copies it.
    ///
    /// # Safety
    /// Every entry must do what its JNI function does, and must not unwind.
    pub unsafe fn set_jni_function_table(
        self,
        table: *const JNINativeInterface_,
    ) -> Result<(), Error> {
        call!(self, SetJNIFunctionTable(table))
    }
}
