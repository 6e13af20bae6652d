//! The natives of `java.lang.DuckTrackMeasured`.

use ducktrack_jvmti::sys::{JNIEnv, jboolean, jclass, jint, jlong, jstring};

use crate::core::Core;
use crate::core::vm_facts::VmFacts;
use crate::entry::{native, native_with_jni};
use crate::measured::{open_threads_address, readings, rows};

pub(super) const STARTED: jint = 0;
pub(super) const DOES_NOT_COUNT: jint = 1;
const NO_COUNTERS: jint = 2;

/// `DuckTrackMeasured.openThreads`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_openThreads(
    _: *mut JNIEnv,
    _: jclass,
) -> jlong {
    open_threads_address() as jlong
}

/// `DuckTrackMeasured.begin`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_begin(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
    all_threads: jboolean,
) -> jint {
    native(DOES_NOT_COUNT, |agent| {
        let core = &agent.core;
        let Some(facts) = counting(core) else {
            return DOES_NOT_COUNT;
        };
        let Some(block) = core.shared.of_slot(slot) else {
            return NO_COUNTERS;
        };
        agent.measured.keep_code();
        if all_threads {
            agent.measured.begin_all(thread, readings(core, facts));
        } else {
            let end = core.registry.counter_end();
            agent.measured.begin(thread, block, end);
        }
        STARTED
    })
}

/// `DuckTrackMeasured.end`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_end(
    env: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
) -> jstring {
    native_with_jni(env, std::ptr::null_mut(), |agent, jni, _| {
        let core = &agent.core;
        let text = counting(core)
            .zip(core.shared.of_slot(slot))
            .and_then(|(facts, block)| {
                let end = core.registry.counter_end();
                let all = || readings(core, facts);
                let difference = agent.measured.end(thread, block, end, all)?;
                Some(rows(core, difference))
            });
        let string = text.and_then(|text| jni.new_string(&text).ok());
        string.unwrap_or(std::ptr::null_mut())
    })
}

/// `DuckTrackMeasured.pause`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_pause(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
) {
    native((), |agent| {
        let core = &agent.core;
        if let Some(block) = core.shared.of_slot(slot) {
            agent
                .measured
                .pause(thread, block, core.registry.counter_end());
        }
    });
}

/// `DuckTrackMeasured.resume`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMeasured_resume(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
) {
    native((), |agent| {
        let core = &agent.core;
        if let Some(block) = core.shared.of_slot(slot) {
            agent
                .measured
                .resume(thread, block, core.registry.counter_end());
        }
    });
}

/// The VM's facts, if the run counts in blocks.
pub(super) fn counting(core: &Core) -> Option<&VmFacts> {
    let counts = core.needs.counts_in_blocks && core.is_counting();
    core.facts().filter(|_| counts)
}
