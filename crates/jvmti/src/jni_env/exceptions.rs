//! Pending Java exceptions.

use jni::sys::jthrowable;

use super::{Jni, jni_call};
use crate::error::Error;

impl Jni {
    /// Whether an exception is pending.
    #[must_use]
    pub fn exception_pending(self) -> bool {
        jni_call!(self, v1_2.ExceptionCheck())
    }

    /// Clears a pending exception; returns whether there was one.
    pub fn clear_exception(self) -> bool {
        let pending = self.exception_pending();
        if pending {
            jni_call!(self, v1_1.ExceptionClear());
        }
        pending
    }

    /// Clears the pending exception and returns it as a local reference; `None` if there is none.
    #[must_use]
    pub fn take_exception(self) -> Option<jthrowable> {
        let exception = jni_call!(self, v1_1.ExceptionOccurred());
        if exception.is_null() {
            return None;
        }
        jni_call!(self, v1_1.ExceptionClear());
        Some(exception)
    }

    /// Makes an exception pending (again).
    pub fn throw(self, exception: jthrowable) -> Result<(), Error> {
        let code = jni_call!(self, v1_1.Throw(exception));
        if code == 0 {
            Ok(())
        } else {
            Err(Error::Jni {
                function: "Throw",
                code,
            })
        }
    }
}
