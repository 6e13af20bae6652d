//! The native of `java.lang.DuckTrackControl`.

use ducktrack_jvmti::sys::{JNIEnv, jclass, jstring};

use crate::control::{refusal, requested};
use crate::entry::native_with_jni;

/// `DuckTrackControl.ask`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackControl_ask(
    env: *mut JNIEnv,
    _: jclass,
    request: jstring,
) -> jstring {
    native_with_jni(env, std::ptr::null_mut(), |agent, jni, _| {
        if request.is_null() {
            return std::ptr::null_mut();
        }
        let asked = jni.string(request).map_err(|error| error.to_string());
        let command = asked.and_then(|line| requested(&line));
        let answer = command.map_or_else(|why| refusal(&why), |command| agent.answer(command));
        let text = jni.new_string(&answer.to_string());
        text.unwrap_or(std::ptr::null_mut())
    })
}
