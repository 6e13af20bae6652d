//! The only global: the agent of this process, which functions called by the VM must find. Every call goes through [`guard`], so no panic
//! reaches the VM, and if anything is wrong the program continues unchanged.

use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use ducktrack_jvmti::sys::{JNIEnv, jthrowable};
use ducktrack_jvmti::{Jni, guard};

use crate::run::agent::Agent;

/// The agent of the current run, or of the last one, because callbacks carry
/// no user data. An agent is never freed: threads may be in its callbacks.
static AGENT: AtomicPtr<Agent> = AtomicPtr::new(null_mut());

/// Makes an agent the one of the process, replacing `before`. Returns `None` if another thread was first.
pub(crate) fn install(agent: Agent, before: Option<&'static Agent>) -> Option<&'static Agent> {
    let before = before.map_or(null_mut(), |before| from_ref(before).cast_mut());
    let new = Box::into_raw(Box::new(agent));
    match AGENT.compare_exchange(before, new, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: the box was just leaked and is never freed.
        Ok(_) => Some(unsafe { &*new }),
        Err(_) => {
            // SAFETY: no other thread has seen the box.
            drop(unsafe { Box::from_raw(new) });
            None
        }
    }
}

pub(crate) fn report_panic(message: &str) {
    if let Some(agent) = agent() {
        let core = &agent.core;
        core.log
            .error(&format!("a fault in the agent was contained: {message}"));
        core.add_note(format!("A fault in the agent was contained: {message}."));
    }
}

/// The agent, for functions that the VM calls without context.
pub(crate) fn agent() -> Option<&'static Agent> {
    // SAFETY: the pointer is null or that of a box that `install` leaked permanently.
    unsafe { AGENT.load(Ordering::Acquire).as_ref() }
}

/// Runs the body of a native method of the helper class that does not call the VM.
pub(crate) fn native<T: Copy>(fallback: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    guard(fallback, report_panic, || agent().map_or(fallback, body))
}

/// Runs the body of a native method of the helper class, or of a replaced JNI function. Passes it the pending exception.
pub(crate) fn native_with_jni<T: Copy>(
    env: *mut JNIEnv,
    fallback: T,
    body: impl FnOnce(&'static Agent, Jni, Option<jthrowable>) -> T,
) -> T {
    native(fallback, |agent| {
        // SAFETY: the VM, and callers of JNI functions, pass the environment of the current thread.
        unsafe { Jni::from_raw(env) }.map_or(fallback, |jni| {
            jni.keeping_exceptions(|pending| body(agent, jni, pending))
        })
    })
}

/// Runs the body of a callback. A pending exception stays pending.
pub(crate) fn event(jni: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni)) {
    guard((), report_panic, || {
        // SAFETY: the VM passes the JNI environment of the current thread.
        if let (Some(agent), Some(jni)) = (agent(), unsafe { Jni::from_raw(jni) }) {
            jni.keeping_exceptions(|_| body(agent, jni));
        }
    });
}
