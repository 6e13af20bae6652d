//! The natives of `java.lang.DuckTrackMeasured` that watch what stays.

use ducktrack_jvmti::sys::{JNIEnv, jboolean, jclass, jint, jobject, jstring};

use super::measured_natives::{DOES_NOT_COUNT, STARTED, counting};
use crate::entry::{native, native_with_jni};

const SAMPLER_IS_TAKEN: jint = 3;

/// `DuckTrackMeasured.watch`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_watch(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
) -> jint {
    native_with_jni(env, DOES_NOT_COUNT, |agent, jni, _| {
        if counting(&agent.core).is_none() {
            return DOES_NOT_COUNT;
        }
        agent.measured.keep_code();
        match agent.survivors.begin(&agent.core, jni, thread) {
            true => STARTED,
            false => SAMPLER_IS_TAKEN,
        }
    })
}

/// `DuckTrackMeasured.repetition`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_repetition(
    _: *mut JNIEnv,
    _: jclass,
    number: jint,
) -> jboolean {
    native(false, |agent| {
        agent.survivors.repeat(u32::try_from(number).unwrap_or(0))
    })
}

/// `DuckTrackMeasured.survivors`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_survivors(
    env: *mut JNIEnv,
    _: jclass,
) -> jstring {
    native_with_jni(env, std::ptr::null_mut(), |agent, jni, _| {
        let text = agent.survivors.end(&agent.core, jni);
        let string = text.and_then(|text| jni.new_string(&text).ok());
        string.unwrap_or(std::ptr::null_mut())
    })
}
