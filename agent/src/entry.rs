//! The one global: the agent of this process, which the VM's calls must find. Every call goes through [`guard`]: no panic crosses, and on any doubt the
//! program goes on as it was.

use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use ducktrack_jvmti::sys::{JNIEnv, jthrowable};
use ducktrack_jvmti::{Jni, guard};

use crate::agent::Agent;

/// The agent of the current run, or of the last one: callbacks carry no user data. An agent is never freed: threads may be in its callbacks.
static AGENT: AtomicPtr<Agent> = AtomicPtr::new(null_mut());

/// Makes an agent the one of the process, in the place of `before`. `None` if another came first.
pub(crate) fn install(agent: Agent, before: Option<&'static Agent>) -> Option<&'static Agent> {
    let before = before.map_or(null_mut(), |before| from_ref(before).cast_mut());
    let new = Box::into_raw(Box::new(agent));
    match AGENT.compare_exchange(before, new, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: the box was leaked a moment ago and is never freed.
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

/// The agent, for functions that the VM calls without saying whose they are.
pub(crate) fn agent() -> Option<&'static Agent> {
    // SAFETY: the pointer is null or that of a box that `install` has leaked for good.
    unsafe { AGENT.load(Ordering::Acquire).as_ref() }
}

/// Runs the body of a native method of the helper class that asks the VM for nothing.
pub(crate) fn native<T: Copy>(fallback: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    guard(fallback, report_panic, || agent().map_or(fallback, body))
}

/// Runs the body of a native method of the helper class, or of a function in the place of a JNI function; it gets the exception that is pending.
pub(crate) fn native_with_jni<T: Copy>(
    env: *mut JNIEnv,
    fallback: T,
    body: impl FnOnce(&'static Agent, Jni, Option<jthrowable>) -> T,
) -> T {
    native(fallback, |agent| {
        // SAFETY: the VM, and who calls a JNI function, passes the environment of the current thread.
        unsafe { Jni::from_raw(env) }.map_or(fallback, |jni| {
            jni.keeping_exceptions(|pending| body(agent, jni, pending))
        })
    })
}

/// Runs the body of a callback; an exception that is pending stays so.
pub(crate) fn event(jni: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni)) {
    guard((), report_panic, || {
        // SAFETY: the VM passes the JNI environment of the current thread.
        if let (Some(agent), Some(jni)) = (agent(), unsafe { Jni::from_raw(jni) }) {
            jni.keeping_exceptions(|_| body(agent, jni));
        }
    });
}
