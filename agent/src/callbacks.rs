//! What the VM and native code call: here the callbacks of JVMTI events, in
//! modules the natives of helper classes and the functions in the table of JNI.

mod constants;
mod context_natives;
mod control_natives;
pub(crate) mod jni_counting;
pub(crate) mod jni_functions;
mod jni_replaced;
pub(crate) mod jni_stores;
pub(crate) mod jni_variadic;
mod measured_natives;
mod natives;
mod off_heap_natives;
mod survivor_natives;

use std::ffi::{CStr, c_char, c_void};

use ducktrack_jvmti::sys::{JNIEnv, jclass, jint, jlong, jmethodID, jobject};
use ducktrack_jvmti::{
    Env, EventCallbacks, Jni, RawEnv, guard, is_retransforming, jlocation, jthread,
};

use crate::classes::module_reads::ModuleReads;
use crate::entry::{agent, event, report_panic};
use crate::recording::Pause;

/// `JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR`.
const OUT_OF_MEMORY_ERROR: jint = 1;

/// The callbacks of the events that the agent uses.
pub(crate) fn table() -> EventCallbacks {
    EventCallbacks {
        VMInit: Some(vm_init),
        VMDeath: Some(vm_death),
        ThreadStart: Some(thread_start),
        ThreadEnd: Some(thread_end),
        ClassFileLoadHook: Some(class_file_load_hook),
        ClassPrepare: Some(class_prepare),
        DataDumpRequest: Some(data_dump_request),
        ResourceExhausted: Some(resource_exhausted),
        GarbageCollectionStart: Some(collection_start),
        GarbageCollectionFinish: Some(collection_finish),
        SampledObjectAlloc: Some(sampled_object_alloc),
        Exception: Some(exception_thrown),
        ..EventCallbacks::default()
    }
}

unsafe extern "system" fn vm_init(_: *mut RawEnv, jni: *mut JNIEnv, _: jthread) {
    event(jni, |agent, jni| {
        if let Err(why) = agent.start(jni) {
            agent
                .core
                .log
                .error(&format!("{why}; the program continues, nothing is counted"));
        }
    });
}

unsafe extern "system" fn vm_death(_: *mut RawEnv, jni: *mut JNIEnv) {
    event(jni, |agent, jni| {
        agent.finish(jni);
        agent.core.resident.own_thread.close();
    });
}

unsafe extern "system" fn thread_start(_: *mut RawEnv, jni: *mut JNIEnv, thread: jthread) {
    event(jni, |agent, jni| {
        agent.thread_started(jni, thread);
        agent.stacks.note_row(&agent.core, jni, thread);
    });
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

unsafe extern "system" fn resource_exhausted(
    _: *mut RawEnv,
    jni: *mut JNIEnv,
    flags: jint,
    _: *const c_void,
    description: *const c_char,
) {
    if flags & OUT_OF_MEMORY_ERROR == 0 {
        return;
    }
    event(jni, |agent, jni| {
        // SAFETY: the VM passes a text that ends with NUL, or null.
        let text = (!description.is_null()).then(|| unsafe { CStr::from_ptr(description) });
        let what = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
        agent.exhausted(jni, what);
    });
}

unsafe extern "system" fn collection_start(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = agent() {
            agent.recording.pause(&agent.core, Pause::Begins);
        }
    });
}

unsafe extern "system" fn collection_finish(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = agent() {
            agent.recording.pause(&agent.core, Pause::Ends);
        }
    });
}

unsafe extern "system" fn sampled_object_alloc(
    _: *mut RawEnv,
    jni: *mut JNIEnv,
    thread: jthread,
    object: jobject,
    class: jclass,
    size: jlong,
) {
    event(jni, |agent, jni| {
        if (agent.survivors).object_sampled(&agent.core, jni, thread, object) {
            return;
        }
        let size = u64::try_from(size).unwrap_or(0);
        agent
            .stacks
            .object_sampled(&agent.core, jni, thread, class, size);
    });
}

unsafe extern "system" fn exception_thrown(
    _: *mut RawEnv,
    jni: *mut JNIEnv,
    _: jthread,
    method: jmethodID,
    location: jlocation,
    exception: jobject,
    _: jmethodID,
    _: jlocation,
) {
    event(jni, |agent, jni| {
        let place = (method, location);
        agent
            .recording
            .exception_thrown(&agent.core, jni, place, exception);
    });
}

/// Called when another agent asks the VM for a tool environment.
pub(crate) fn tool_comes() {
    guard((), report_panic, || {
        if let Some(agent) = agent() {
            agent.stacks.give_back_sampler(&agent.core);
            ModuleReads::of_process().others_come(&agent.core.resident.own_thread);
        }
    });
}

unsafe extern "system" fn data_dump_request(_: *mut RawEnv) {
    guard((), report_panic, || {
        if let Some(agent) = agent() {
            agent.core.wake.request_snapshot();
        }
    });
}

#[allow(clippy::too_many_arguments, reason = "the signature is JVMTI's")]
unsafe extern "system" fn class_file_load_hook(
    env: *mut RawEnv,
    jni: *mut JNIEnv,
    class_being_redefined: jclass,
    loader: jobject,
    _name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    data: *const u8,
    new_length: *mut jint,
    new_data: *mut *mut u8,
) {
    guard((), report_panic, || {
        let Some(agent) = agent() else { return };
        let Ok(size) = usize::try_from(length) else {
            return;
        };
        if data.is_null() {
            return;
        }
        if !class_being_redefined.is_null() {
            agent.stacks.forget_lines();
            if !is_retransforming() {
                // By an agent that was not seen when it came.
                ModuleReads::of_process().others_come(&agent.core.resident.own_thread);
            }
        }
        // SAFETY: the VM passes `length` bytes of a class file, valid during the call.
        let bytes = unsafe { std::slice::from_raw_parts(data, size) };
        // SAFETY: the VM passes the JNI environment of the current thread (null in the primordial phase).
        let jni = unsafe { Jni::from_raw(jni) };
        let loaded = (!class_being_redefined.is_null()).then_some(class_being_redefined);
        let new_bytes = || {
            agent
                .class_hook()
                .new_class_bytes(jni, loader, bytes, loaded)
        };
        let rewritten = match jni {
            // For classes of the boot loader JNI is not called, because its checker
            // warns about calls on a thread that retransforms many classes.
            Some(jni) if !loader.is_null() => jni.keeping_exceptions(|_| new_bytes()),
            _ => new_bytes(),
        };
        let Some(rewritten) = rewritten else { return };
        // SAFETY: the VM passes the environment that the event belongs to.
        let Some(env) = (unsafe { Env::from_raw(env) }) else {
            return;
        };
        if let (Ok(copy), Ok(size)) = (
            env.allocate_copy(&rewritten),
            jint::try_from(rewritten.len()),
        ) {
            // SAFETY: both are out parameters of the VM; the memory was allocated with its Allocate, as the VM requires.
            unsafe {
                new_length.write(size);
                new_data.write(copy.as_ptr());
            }
        }
    });
}
