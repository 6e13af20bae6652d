//! Runs a Rust closure on a `java.lang.Thread` of the agent's own.
//!
//! `RunAgentThread` takes a new `Thread` object and a C function with an argument. The argument carries the boxed closure. The thread is a
//! daemon, is not listed in Java thread groups, and may use JVMTI and JNI.

use std::ffi::c_void;

use jni::sys::{JNIEnv, jvalue};

use crate::env::Env;
use crate::error::Error;
use crate::guard::guard;
use crate::jni_env::Jni;
use crate::raw_types::{RawEnv, jthread};

/// Normal priority (`JVMTI_THREAD_NORM_PRIORITY`).
pub const NORMAL_PRIORITY: i32 = 5;

type Body = Box<dyn FnOnce(Env, Jni) + Send>;

/// Unboxes the closure and runs it. A panic only ends the thread.
unsafe extern "system" fn run_body(
    jvmti_env: *mut RawEnv,
    jni_env: *mut JNIEnv,
    argument: *mut c_void,
) {
    guard(
        (),
        |_| (),
        || {
            // SAFETY: the argument is the box that `spawn_agent_thread` leaked for exactly this call.
            let body: Box<Body> = unsafe { Box::from_raw(argument.cast::<Body>()) };
            // SAFETY: the VM passes the environment that started the thread.
            let env = unsafe { Env::from_raw(jvmti_env) };
            // SAFETY: the VM passes the JNI environment of this thread.
            let jni = unsafe { Jni::from_raw(jni_env) };
            if let (Some(env), Some(jni)) = (env, jni) {
                body(env, jni);
            }
        },
    );
}

/// Creates an unstarted `java.lang.Thread` with this name; returns a local reference.
pub fn new_java_thread(jni: Jni, name: &str) -> Result<jthread, Error> {
    let class = jni.find_class("java/lang/Thread")?;
    let constructor = jni.method_id(class, "<init>", "(Ljava/lang/String;)V")?;
    let text = jni.new_string(name)?;
    let thread = jni.new_object(class, constructor, &[jvalue { l: text }])?;
    jni.delete_local_ref(text);
    jni.delete_local_ref(class);
    Ok(thread)
}

/// Runs `body` on a new daemon thread of the VM. Only in the live phase. A panic of the body ends the thread silently; a body that wants a
/// report must use [`crate::guard`] itself.
pub fn spawn_agent_thread(
    env: Env,
    jni: Jni,
    name: &str,
    priority: i32,
    body: impl FnOnce(Env, Jni) + Send + 'static,
) -> Result<(), Error> {
    let thread = new_java_thread(jni, name)?;
    let boxed: Box<Body> = Box::new(Box::new(body));
    let argument = Box::into_raw(boxed);
    // SAFETY: `run_body` does not unwind and takes the box exactly once, on the new thread; the closure is `Send`.
    let started = unsafe { env.run_agent_thread(thread, run_body, argument.cast(), priority) };
    if started.is_err() {
        // SAFETY: the thread was not started, so the box is still ours.
        drop(unsafe { Box::from_raw(argument) });
    }
    jni.delete_local_ref(thread);
    started
}
