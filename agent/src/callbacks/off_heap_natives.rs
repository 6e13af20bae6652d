//! The natives of `java.lang.DuckTrackOffHeap`.

use ducktrack_jvmti::sys::{JNIEnv, jclass, jint, jlong};
use ducktrack_probe_vocabulary::OffHeapKind;

use crate::entry::{native, native_with_jni};
use crate::off_heap;

/// `DuckTrackOffHeap.asked`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_asked(
    _: *mut JNIEnv,
    _: jclass,
    bytes: jlong,
) {
    native((), |_| off_heap::asked(bytes));
}

/// `DuckTrackOffHeap.allocated`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_allocated(
    env: *mut JNIEnv,
    _: jclass,
    address: jlong,
) {
    native_with_jni(env, (), |agent, jni, _| {
        agent.off_heap.allocated(&agent.core, jni, address);
    });
}

/// `DuckTrackOffHeap.made`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_made(
    env: *mut JNIEnv,
    _: jclass,
    key: jlong,
    bytes: jlong,
    kind: jint,
) {
    native_with_jni(env, (), |agent, jni, _| {
        if let Some(kind) = kind_of(kind) {
            agent.off_heap.made(&agent.core, jni, kind, key, bytes);
        }
    });
}

/// `DuckTrackOffHeap.starts`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_starts(
    env: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    stack_bytes: jlong,
) {
    native_with_jni(env, (), |agent, jni, _| {
        agent.off_heap.starts(&agent.core, jni, thread, stack_bytes);
    });
}

/// `DuckTrackOffHeap.started`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_started(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
) {
    native((), |agent| agent.off_heap.started(&agent.core, thread));
}

/// `DuckTrackOffHeap.released`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackOffHeap_released(
    _: *mut JNIEnv,
    _: jclass,
    key: jlong,
    kind: jint,
) {
    native((), |agent| {
        if let Some(kind) = kind_of(kind) {
            agent.off_heap.released(&agent.core, kind, key);
        }
    });
}

fn kind_of(number: jint) -> Option<OffHeapKind> {
    OffHeapKind::of_number(u32::try_from(number).ok()?)
}
