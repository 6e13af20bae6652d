//! The native methods of the helper classes.

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject, jstring};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::fact::Fact;

use crate::callbacks::constants::constant;
use crate::classes::module_reads::ModuleReads;
use crate::core::field_offsets;
use crate::count::call_totals::CallTotals;
use crate::entry::{native, native_with_jni};
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::records::record_helper;
use crate::layers::stamps::witness_helper;
use crate::layers::uses::use_memory::UseMemory;
use crate::recording::ThreadNews;
use crate::threads::counter_block::CounterBlock;
use crate::trace::buffers::record_clock;

/// A word that is always 0.
static ZERO: u64 = 0;

// The VM finds natives of boot classes by their names in the libraries of agents. (RegisterNatives would make it print a
// warning: it takes us for an agent that replaces a method of the platform.)

/// `DuckTrack.constant`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrack_constant(
    _: *mut JNIEnv,
    _: jclass,
    which: jint,
) -> jlong {
    native(0, |agent| {
        let core = &agent.core;
        let fact = Fact::of(which).zip(core.facts());
        fact.map_or(0, |(fact, facts)| constant(fact, facts))
    })
}

/// `DuckTrackMark.begin`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackMark_begin(
    env: *mut JNIEnv,
    _: jclass,
    name: jstring,
) -> jboolean {
    let marked = native_with_jni(env, false, |agent, jni, _| {
        let name = match name.is_null() {
            true => None,
            false => jni.string(name).ok(),
        };
        name.is_some_and(|name| agent.mark_from_program(&name))
    });
    jboolean::from(marked)
}

/// `DuckTrackModules.withhold`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackModules_withhold(
    env: *mut JNIEnv,
    _: jclass,
    module: jobject,
) -> jboolean {
    let is_withheld = native_with_jni(env, false, |_, jni, _| {
        ModuleReads::of_process().withhold(jni, module)
    });
    jboolean::from(is_withheld)
}

/// `DuckTrackCalls.leave`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackCalls_leave(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
) {
    native((), |agent| {
        if let (Some(totals), Some(carrier)) = (CallTotals::get(), agent.core.shared.of_slot(slot))
        {
            totals.leave(thread.cast_unsigned(), carrier);
        }
    });
}

/// `DuckTrackCalls.arrive`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackCalls_arrive(
    _: *mut JNIEnv,
    _: jclass,
    thread: jlong,
    slot: jlong,
) {
    native((), |agent| {
        if let (Some(totals), Some(carrier)) = (CallTotals::get(), agent.core.shared.of_slot(slot))
        {
            totals.arrive(thread.cast_unsigned(), carrier);
        }
    });
}

/// `DuckTrack.firstSeen`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrack_firstSeen(
    env: *mut JNIEnv,
    _: jclass,
    class: jclass,
    klass: jlong,
) {
    native_with_jni(env, (), |agent, _, _| {
        agent.first_seen(class, klass as usize);
    });
}

/// `DuckTrackKeyed.grow`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackKeyed_grow(
    _: *mut JNIEnv,
    _: jclass,
    slot: jlong,
) {
    native((), |agent| {
        let address = agent
            .core
            .shared
            .address()
            .wrapping_add_signed(slot as isize);
        agent.core.grow_keyed(address);
    });
}

/// `DuckTrack.rewriteHidden`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrack_rewriteHidden(
    env: *mut JNIEnv,
    _: jclass,
    bytes: jbyteArray,
) -> jbyteArray {
    native_with_jni(env, bytes, |agent, jni, _| {
        agent
            .class_hook()
            .rewrite_hidden(jni, bytes)
            .unwrap_or(bytes)
    })
}

/// `DuckTrack.shutdownBegins`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrack_shutdownBegins(
    env: *mut JNIEnv,
    _: jclass,
) {
    native_with_jni(env, (), |agent, jni, _| {
        agent.shutdown_begins(jni);
    });
}

/// `DuckTrack.inheritsClone`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrack_inheritsClone(
    env: *mut JNIEnv,
    object: jclass,
    class: jclass,
) -> jboolean {
    let inherits = native_with_jni(env, false, |_, jni, _| {
        inherits_clone(jni, object, class).unwrap_or(false)
    });
    jboolean::from(inherits)
}

/// Whether the class has the method of its root: a method that is not overridden has one id in all classes.
fn inherits_clone(jni: Jni, helper: jclass, class: jclass) -> Result<bool, Error> {
    let id = |class| jni.method_id(class, "clone", "()Ljava/lang/Object;");
    // The helper class overrides nothing.
    Ok(id(helper)? == id(class)?)
}

/// `DuckTrackEventBuffer.flush`
///
/// # Safety
/// Called by the VM, for the block of the current thread or with 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_flush(
    _: *mut JNIEnv,
    _: jclass,
    block: jlong,
) {
    if block != 0 {
        native((), |agent| {
            // SAFETY: the helper class passes what the thread's slot leads to: a block.
            let block = unsafe { CounterBlock::at(block as usize) };
            agent
                .recording
                .thread(&agent.core, block, ThreadNews::BufferFull);
        });
    }
}

/// `DuckTrackEventBuffer.adopt`
///
/// # Safety
/// Called by the VM, with the `eetop` of the current thread or 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_adopt(
    _: *mut JNIEnv,
    _: jclass,
    eetop: jlong,
) -> jlong {
    if eetop == 0 {
        return 0;
    }
    native(0, |agent| agent.adopt_thread(eetop as usize) as jlong)
}

/// `DuckTrackEventBuffer.becomeWriter`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_becomeWriter(
    _: *mut JNIEnv,
    _: jclass,
    block: jlong,
) {
    if block != 0 {
        native((), |_| record_clock::become_writer(block.cast_unsigned()));
    }
}

/// `DuckTrackEventBuffer.address`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_address(
    _: *mut JNIEnv,
    _: jclass,
    object: jobject,
) -> jlong {
    native(0, |_| {
        if object.is_null() || !EventHelper::knows_addresses() {
            return 0;
        }
        // SAFETY: an argument of a native method is a local handle: the address of a word that holds the object's address (no tag bits).
        let address: u64 = unsafe { Address(object as usize).read() };
        address.cast_signed()
    })
}
/// `DuckTrackUses.constant`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackUses_constant(
    _: *mut JNIEnv,
    _: jclass,
    which: jint,
) -> jlong {
    native(0, |_| {
        let constants = UseMemory::of_process().constants();
        constants.map_or(0, |constants| constants.get(which))
    })
}

/// `DuckTrackWitness.constant`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackWitness_constant(
    _: *mut JNIEnv,
    _: jclass,
    which: jint,
) -> jlong {
    native(0, |_| witness_helper::constant(which))
}

/// `DuckTrackHolders.constant`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackHolders_constant(
    _: *mut JNIEnv,
    _: jclass,
    which: jint,
) -> jlong {
    native(0, |_| record_helper::constant(which))
}

/// `DuckTrackWitness.find`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackWitness_find(
    env: *mut JNIEnv,
    _: jclass,
    holder: jobject,
    number: jint,
) -> jlong {
    native_with_jni(env, field_offsets::NOWHERE, |agent, jni, _| {
        let core = &agent.core;
        core.facts().map_or(field_offsets::NOWHERE, |facts| {
            field_offsets::find(core.env, jni, facts, holder, number)
        })
    })
}

/// `DuckTrackHints.zero`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_invoke_DuckTrackHints_zero(
    _: *mut JNIEnv,
    _: jclass,
) -> jlong {
    std::ptr::from_ref(&ZERO).expose_provenance() as i64
}
