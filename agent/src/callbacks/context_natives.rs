//! The natives of `java.lang.DuckTrackContexts`.

use ducktrack_jvmti::sys::{JNIEnv, jclass, jint, jlong, jstring};
use ducktrack_probe_vocabulary::fact::ContextFact;

use crate::contexts::{ContextNumber, Contexts, of_recording};
use crate::core::Core;
use crate::entry::{native, native_with_jni};

/// `DuckTrackContexts.constant`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_constant(
    _: *mut JNIEnv,
    _: jclass,
    which: jint,
) -> jlong {
    native(0, |agent| {
        let fact = ContextFact::of(which).zip(Contexts::get());
        fact.map_or(0, |(fact, contexts)| contexts.constant(&agent.core, fact))
    })
}

/// `DuckTrackContexts.combine`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_combine(
    _: *mut JNIEnv,
    _: jclass,
    around: jint,
    context: jint,
) -> jint {
    native(-1, |_| {
        let context = ContextNumber(context.cast_unsigned());
        Contexts::get().map_or(-1, |contexts| {
            contexts.combine(around.cast_unsigned(), context)
        })
    })
}

/// `DuckTrackContexts.lease`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_lease(
    _: *mut JNIEnv,
    _: jclass,
    combination: jint,
) -> jlong {
    native(0, |agent| {
        let core = &agent.core;
        of_recording(core).map_or(0, |contexts| {
            contexts.lease(core, combination.cast_unsigned())
        })
    })
}

/// `DuckTrackContexts.giveBack`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_giveBack(
    _: *mut JNIEnv,
    _: jclass,
    combination: jint,
    block: jlong,
) {
    native((), |_| {
        if let Some(contexts) = Contexts::get() {
            contexts.give_back(combination.cast_unsigned(), block);
        }
    });
}

/// `DuckTrackContexts.skip`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_skip(
    _: *mut JNIEnv,
    _: jclass,
    why: jint,
) {
    native((), |agent| {
        if let Some(contexts) = Contexts::get() {
            contexts.skip(&agent.core, why);
        }
    });
}

/// `DuckTrackContexts.pattern`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_pattern(
    env: *mut JNIEnv,
    _: jclass,
    kind: jstring,
) -> jint {
    native_with_jni(env, 0, |_, jni, _| {
        let contexts = Contexts::get().filter(|_| !kind.is_null());
        let pattern =
            contexts.and_then(|contexts| Some(contexts.text_pattern(&jni.string(kind).ok()?)));
        pattern.map_or(0, u32::cast_signed)
    })
}

/// `DuckTrackContexts.named`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_named(
    env: *mut JNIEnv,
    _: jclass,
    text: jstring,
    pattern: jint,
) -> jint {
    native_with_jni(env, 0, |_, jni, _| {
        let contexts = Contexts::get().filter(|_| !text.is_null());
        let named = contexts.and_then(|contexts| {
            let text = jni.string(text).ok()?;
            Some(contexts.named(&text, pattern.cast_unsigned()))
        });
        named.map_or(0, |number| number.0.cast_signed())
    })
}

/// `DuckTrackContexts.newLargest`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_newLargest(
    env: *mut JNIEnv,
    _: jclass,
    combination: jint,
    bytes: jlong,
    thread: jstring,
    trace: jstring,
) {
    native_with_jni(env, (), |_, jni, _| {
        let contexts = Contexts::get().filter(|_| !thread.is_null());
        let named = contexts.and_then(|contexts| Some((contexts, jni.string(thread).ok()?)));
        if let Some((contexts, thread)) = named {
            let trace = (!trace.is_null()).then(|| jni.string(trace).ok()).flatten();
            let by = (thread.as_str(), trace);
            contexts.new_largest(combination.cast_unsigned(), bytes.cast_unsigned(), by);
        }
    });
}

/// `DuckTrackContexts.depart`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_depart(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
    allocated: jlong,
) -> jlong {
    native(slot, |agent| {
        let core = &agent.core;
        moving(core).map_or(slot, |contexts| {
            contexts.depart(core, thread, slot, allocated.cast_unsigned())
        })
    })
}

/// `DuckTrackContexts.arrive`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackContexts_arrive(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
    allocated: jlong,
    native_thread: jlong,
) -> jlong {
    native(slot, |agent| {
        let core = &agent.core;
        let carrier = (allocated.cast_unsigned(), native_thread.cast_unsigned());
        moving(core).map_or(slot, |contexts| {
            contexts.arrive(core, thread, slot, carrier)
        })
    })
}

/// The contexts, which move with virtual threads: only tests leave them where they are.
fn moving(core: &Core) -> Option<&'static Contexts> {
    of_recording(core).filter(|_| !core.options.contexts_stay)
}
