//! Our JNI functions: each calls the one that was in the table, and counts the object that it returns.

use ducktrack_jvmti::sys::{JNIEnv, jclass, jobject, jthrowable};
use ducktrack_jvmti::{Env, Jni, class_status};

use crate::entry::native_with_jni;
use crate::run::agent::Agent;

const ACC_INTERFACE: i32 = 0x0200;
const ACC_ABSTRACT: i32 = 0x0400;

/// An object or array.
pub(crate) fn count(env: *mut JNIEnv, made: jobject, function: &'static str) {
    if !made.is_null() {
        counting(env, |agent, jni, _| {
            agent
                .natives
                .count(&agent.core, &*agent.recording, jni, made, function);
        });
    }
}

pub(crate) fn count_string(env: *mut JNIEnv, made: jobject, function: &'static str) {
    if !made.is_null() {
        counting(env, |agent, jni, _| {
            let natives = &agent.natives;
            natives.count_string(&agent.core, &*agent.recording, jni, made, function);
        });
    }
}

pub(crate) fn count_constructed(
    env: *mut JNIEnv,
    made: jobject,
    class: jclass,
    function: &'static str,
) {
    counting(env, |agent, jni, thrown| match thrown {
        Some(exception) if made.is_null() => {
            if was_made(agent.core.env, jni, class, exception) {
                let natives = &agent.natives;
                natives.count_gone(&agent.core, &*agent.recording, jni, class, function);
            }
        }
        _ if made.is_null() => {}
        _ => agent
            .natives
            .count(&agent.core, &*agent.recording, jni, made, function),
    });
}

/// Runs `body` without the exception that the function left, or that native code did not care for; it is pending again afterwards.
fn counting(env: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni, Option<jthrowable>)) {
    native_with_jni(env, (), |agent, jni, pending| {
        if agent.core.is_counting() {
            body(agent, jni, pending);
        }
    });
}

/// No object is made of an abstract class, of one whose initialization failed, and without memory.
fn was_made(env: Env, jni: Jni, class: jclass, exception: jobject) -> bool {
    let concrete = env
        .class_modifiers(class)
        .is_ok_and(|flags| flags & (ACC_ABSTRACT | ACC_INTERFACE) == 0);
    let status = env.class_status(class).unwrap_or(0);
    let usable = status & class_status::PREPARED != 0 && status & class_status::ERROR == 0;
    let Ok(thrown) = jni.object_class(exception) else {
        return false;
    };
    let no_memory = env
        .class_signature(thrown)
        .is_ok_and(|name| name == b"Ljava/lang/OutOfMemoryError;");
    jni.delete_local_ref(thrown);
    concrete && usable && !no_memory
}
