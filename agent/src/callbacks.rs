//! What the VM calls. Every entry goes through [`guard`]: no panic crosses, and on any doubt the program goes on as it was.

use std::ffi::c_char;
use std::sync::OnceLock;

use ducktrack_jvmti::sys::{JNIEnv, jclass, jint, jobject};
use ducktrack_jvmti::{Env, EventCallbacks, Jni, RawEnv, guard, jthread};

use crate::agent::Agent;

/// The one agent of the process: callbacks carry no user data.
static AGENT: OnceLock<Agent> = OnceLock::new();

/// Makes an agent the one of the process. `None` if there is one already.
pub(crate) fn install(agent: Agent) -> Option<&'static Agent> {
    AGENT.set(agent).ok()?;
    AGENT.get()
}

/// The callbacks of the events that the agent listens to.
pub(crate) fn table() -> EventCallbacks {
    EventCallbacks {
        VMInit: Some(vm_init),
        VMDeath: Some(vm_death),
        ThreadStart: Some(thread_start),
        ThreadEnd: Some(thread_end),
        ClassFileLoadHook: Some(class_file_load_hook),
        ClassPrepare: Some(class_prepare),
        DataDumpRequest: Some(data_dump_request),
        GarbageCollectionStart: Some(collection_start),
        GarbageCollectionFinish: Some(collection_finish),
        ..EventCallbacks::default()
    }
}

fn report_panic(message: &str) {
    if let Some(agent) = AGENT.get() {
        agent
            .log
            .error(&format!("a fault in the agent was contained: {message}"));
        agent.add_note(format!("A fault in the agent was contained: {message}."));
    }
}

/// The agent, for functions that the VM calls without saying whose they are.
pub(crate) fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Runs the body of a native method of the helper class, or of a function in the place of a JNI function.
pub(crate) fn native<T: Copy>(fallback: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    guard(fallback, report_panic, || {
        AGENT.get().map_or(fallback, body)
    })
}

fn event(jni: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni)) {
    guard((), report_panic, || {
        // SAFETY: the VM passes the JNI environment of the current thread.
        if let (Some(agent), Some(jni)) = (AGENT.get(), unsafe { Jni::from_raw(jni) }) {
            body(agent, jni);
        }
    });
}

unsafe extern "system" fn vm_init(_: *mut RawEnv, jni: *mut JNIEnv, _: jthread) {
    event(jni, |agent, jni| {
        if let Err(why) = agent.start(jni) {
            agent
                .log
                .error(&format!("{why}; the program runs on, nothing is counted"));
        }
    });
}

unsafe extern "system" fn vm_death(_: *mut RawEnv, jni: *mut JNIEnv) {
    event(jni, |agent, jni| agent.finish(jni, "exit"));
}

unsafe extern "system" fn thread_start(_: *mut RawEnv, jni: *mut JNIEnv, thread: jthread) {
    event(jni, |agent, jni| agent.thread_started(jni, thread));
}

unsafe extern "system" fn thread_end(_: *mut RawEnv, jni: *mut JNIEnv, thread: jthread) {
    event(jni, |agent, jni| agent.thread_ended(jni, thread));
}

unsafe extern "system" fn class_prepare(
    _: *mut RawEnv,
    jni: *mut JNIEnv,
    _: jthread,
    class: jclass,
) {
    event(jni, |agent, jni| agent.class_prepared(jni, class));
}

unsafe extern "system" fn collection_start(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = AGENT.get() {
            agent.collection_started();
        }
    });
}

unsafe extern "system" fn collection_finish(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = AGENT.get() {
            agent.collection_finished();
        }
    });
}

unsafe extern "system" fn data_dump_request(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = AGENT.get() {
            agent.request_snapshot();
        }
    });
}

#[allow(clippy::too_many_arguments, reason = "the signature is JVMTI's")]
unsafe extern "system" fn class_file_load_hook(
    env: *mut RawEnv,
    jni: *mut JNIEnv,
    _class_being_redefined: jclass,
    loader: jobject,
    _name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    data: *const u8,
    new_length: *mut jint,
    new_data: *mut *mut u8,
) {
    guard((), report_panic, || {
        let Some(agent) = AGENT.get() else { return };
        let Ok(size) = usize::try_from(length) else {
            return;
        };
        if data.is_null() {
            return;
        }
        // SAFETY: the VM passes `length` bytes of a class file that stay valid during the call.
        let bytes = unsafe { std::slice::from_raw_parts(data, size) };
        // SAFETY: the VM passes the JNI environment of the current thread (null in the primordial phase).
        let jni = unsafe { Jni::from_raw(jni) };
        let Some(rewritten) = agent.rewrite_loaded(jni, loader, bytes) else {
            return;
        };
        // SAFETY: the VM passes the environment that the event belongs to.
        let Some(env) = (unsafe { Env::from_raw(env) }) else {
            return;
        };
        if let (Ok(copy), Ok(size)) = (
            env.allocate_copy(&rewritten),
            jint::try_from(rewritten.len()),
        ) {
            // SAFETY: both are out parameters of the VM; the memory was allocated with its Allocate, as it demands.
            unsafe {
                new_length.write(size);
                new_data.write(copy.as_ptr());
            }
        }
    });
}
