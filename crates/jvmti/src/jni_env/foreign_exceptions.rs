//! Preserves exceptions that belong to the program while our code runs in one of its threads.
//!
//! A thread can be stopped at any moment (`Thread.stop`, a debugger's `StopThread`). The exception then surfaces in the next Java method
//! that the thread calls, which may be one that we call. And some callbacks begin with an exception pending. Neither is ours to clear.
//!
//! [`Jni::keeping_exceptions`] opens a scope. Inside it, a failed call clears what our own calls can throw (linkage errors, VM errors,
//! reflective ones) and sets every other exception aside. At the end of the scope, the exception set aside is pending again.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::OnceLock;

use jni::sys::{jclass, jobject, jthrowable};

use super::{Jni, jni_call};
use crate::error::Error;

/// Classes of exceptions that our own calls throw.
const OWN: [&str; 3] = [
    "java/lang/LinkageError",
    "java/lang/VirtualMachineError",
    "java/lang/ReflectiveOperationException",
];

struct OwnClasses([jclass; OWN.len()]);

// SAFETY: global references are valid on every thread.
unsafe impl Send for OwnClasses {}
// SAFETY: global references are valid on every thread, and nothing here changes.
unsafe impl Sync for OwnClasses {}

static OWN_CLASSES: OnceLock<OwnClasses> = OnceLock::new();

thread_local! {
    /// The innermost scope of this thread; `None` outside all scopes.
    static SCOPE: Cell<Option<SetAside>> = const { Cell::new(None) };
}

/// A global reference; null if nothing was set aside.
#[derive(Clone, Copy)]
struct SetAside(jobject);

/// Ends a scope, even if its body panics.
struct Scope {
    jni: Jni,
    outer: Option<SetAside>,
    /// The exception that was pending when the scope began; a local reference or null.
    before: jthrowable,
}

impl Jni {
    /// Looks up the exceptions that our own calls may throw. Before that, every exception counts as ours.
    pub fn know_own_exceptions(self) -> Result<(), Error> {
        let mut classes = [null_mut(); OWN.len()];
        for (class, name) in classes.iter_mut().zip(OWN) {
            *class = self.new_global_ref(self.find_class(name)?)?;
        }
        // A second call finds the same classes.
        let _ = OWN_CLASSES.set(OwnClasses(classes));
        Ok(())
    }

    /// Runs `body` with no exception pending, and passes it the one that was.
    /// Afterwards that one is pending again, or one that arrived meanwhile.
    pub fn keeping_exceptions<T>(self, body: impl FnOnce(Option<jthrowable>) -> T) -> T {
        let before = self.take_exception();
        let scope = Scope {
            jni: self,
            outer: SCOPE.replace(Some(SetAside(null_mut()))),
            before: before.unwrap_or(null_mut()),
        };
        let value = body(before);
        drop(scope);
        value
    }

    /// Clears the pending exception, or sets it aside if it cannot be ours. Returns whether there was one.
    pub(super) fn drop_own_exception(self) -> bool {
        let Some(thrown) = self.take_exception() else {
            return false;
        };
        if !self.is_own(thrown) {
            self.set_aside(thrown);
        }
        self.delete_local_ref(thrown);
        true
    }

    /// Keeps an exception of the program, to be pending again at the end of the scope. Outside all scopes it is discarded.
    pub fn set_aside(self, thrown: jthrowable) {
        if let Some(SetAside(earlier)) = SCOPE.get()
            && earlier.is_null()
        {
            let kept = jni_call!(self, v1_1.NewGlobalRef(thrown));
            SCOPE.set(Some(SetAside(kept)));
        }
    }

    fn is_own(self, thrown: jthrowable) -> bool {
        OWN_CLASSES.get().is_none_or(|OwnClasses(classes)| {
            let mut classes = classes.iter();
            classes.any(|class| self.is_instance_of(thrown, *class))
        })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let jni = self.jni;
        // An exception that the body left pending is treated like that of a call.
        jni.drop_own_exception();
        let arrived = SCOPE.replace(self.outer);
        let SetAside(arrived) = arrived.unwrap_or(SetAside(null_mut()));
        let pending = if self.before.is_null() {
            arrived
        } else {
            self.before
        };
        if !pending.is_null() {
            // It was pending before, so it can be thrown again.
            let _ = jni.throw(pending);
        }
        if !arrived.is_null() {
            jni.delete_global_ref(arrived);
        }
        if !self.before.is_null() {
            jni.delete_local_ref(self.before);
        }
    }
}
