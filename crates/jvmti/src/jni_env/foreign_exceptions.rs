//! Exceptions that belong to the program, while code of ours runs in one of its threads.
//!
//! A thread can be stopped at any moment (`Thread.stop`, a debugger's `StopThread`): the exception then comes out of whatever Java method the thread calls next,
//! which may be one that we call. And some callbacks begin with an exception pending. Neither is ours to clear.
//!
//! [`Jni::keeping_exceptions`] opens a scope. Inside it a failed call clears what our own calls can throw (linkage errors, errors of the VM, reflective ones), and sets
//! everything else aside. When the scope ends, what was set aside is pending again.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::OnceLock;

use jni::sys::{jclass, jobject, jthrowable};

use super::{Jni, jni_call};
use crate::error::Error;

/// What our own calls throw.
const OWN: [&str; 3] = [
    "java/lang/LinkageError",
    "java/lang/VirtualMachineError",
    "java/lang/ReflectiveOperationException",
];

struct OwnClasses([jclass; OWN.len()]);

// SAFETY: global references are valid in every thread.
unsafe impl Send for OwnClasses {}
// SAFETY: global references are valid in every thread, and nothing here changes.
unsafe impl Sync for OwnClasses {}

static OWN_CLASSES: OnceLock<OwnClasses> = OnceLock::new();

thread_local! {
    /// The innermost scope of this thread; `None` outside of all.
    static SCOPE: Cell<Option<SetAside>> = const { Cell::new(None) };
}

/// A global reference, or null: nothing was set aside.
#[derive(Clone, Copy)]
struct SetAside(jobject);

/// Ends a scope, also when its body panics.
struct Scope {
    jni: Jni,
    outer: Option<SetAside>,
    /// What was pending when the scope began; a local reference or null.
    before: jthrowable,
}

impl Jni {
    /// Looks up what our own calls may throw. Before that, everything counts as ours.
    pub fn know_own_exceptions(self) -> Result<(), Error> {
        let mut classes = [null_mut(); OWN.len()];
        for (class, name) in classes.iter_mut().zip(OWN) {
            *class = self.new_global_ref(self.find_class(name)?)?;
        }
        // A second time gives the same classes.
        let _ = OWN_CLASSES.set(OwnClasses(classes));
        Ok(())
    }

    /// Runs `body`, which gets the exception that is pending now, without any pending. Afterwards that one is pending again, or one that arrived meanwhile.
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

    /// Clears the pending exception, or sets it aside if it cannot be ours; returns whether there was one.
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

    /// An exception of the program's: pending again when the scope ends. Outside of scopes it is forgotten.
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
        // Whatever a body left pending is treated as the result of a call.
        jni.drop_own_exception();
        let arrived = SCOPE.replace(self.outer);
        let SetAside(arrived) = arrived.unwrap_or(SetAside(null_mut()));
        let pending = if self.before.is_null() {
            arrived
        } else {
            self.before
        };
        if !pending.is_null() {
            // It was pending a moment ago, so it can be again.
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
