//! An agent that checks [`CollectionWatch`]: it applies each report to a model of the heap, and compares the model with the real heap,
//! object by object, before the world goes on.
//!
//! `java -agentpath:libgc_moves_agent.so=[verbose] GcMovesProbe ...`. The program
//! (`tests/vm/gc_moves/GcMovesProbe.java`) loads the library again for its native methods and prints [`Oracle::summary`] at its end.

mod heap_model;
mod object_ids;
mod oracle;
mod tagged_objects;

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock};

use ducktrack_hotspot::{
    CollectionWatch, Collector, JvmFlags, ObjectSizes, UnannouncedCollections, VmStructs,
};
use ducktrack_jvmti::sys::{JNIEnv, JavaVM, jclass, jint, jlong, jobject, jstring};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, EventCallbacks, EventKind, Jni, RawEnv, Vm, guard, jthread,
};

use crate::oracle::Oracle;
use crate::tagged_objects::TaggedObjects;

/// The agent's options and environment.
struct Agent {
    env: Env,
    verbose: bool,
}

/// State of the collections; used by the VM thread, and by the program while no collection runs.
struct Watched {
    watch: CollectionWatch,
    oracle: Oracle,
}

static AGENT: OnceLock<Agent> = OnceLock::new();
static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);
static TAGGED: Mutex<TaggedObjects> = Mutex::new(TaggedObjects::new());

/// # Safety
/// Only the VM may call this.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *const c_char,
    _: *mut c_void,
) -> jint {
    guard(
        1,
        |panic| eprintln!("agent: {panic}"),
        || {
            // SAFETY: the VM passes a valid pointer.
            let vm = unsafe { Vm::from_raw(vm) }.expect("JavaVM");
            // SAFETY: the VM passes the text after `=` as a C string.
            let options = unsafe { CStr::from_ptr(options) }.to_str().expect("text");
            let (env, _) = vm.jvmti().expect("JVMTI");
            let wanted = Capabilities::of(&[
                Capability::CanTagObjects,
                Capability::CanGenerateGarbageCollectionEvents,
            ]);
            assert_eq!(env.add_capabilities(&wanted).expect("capabilities"), wanted);
            let callbacks = EventCallbacks {
                VMInit: Some(vm_init),
                GarbageCollectionStart: Some(collection_start),
                GarbageCollectionFinish: Some(collection_finish),
                ..EventCallbacks::default()
            };
            // SAFETY: the callbacks are guarded against panics, and an agent is never unloaded.
            unsafe { env.set_event_callbacks(&callbacks) }.expect("callbacks");
            env.enable(EventKind::VM_INIT).expect("VMInit");
            let agent = Agent {
                env,
                verbose: options.contains("verbose"),
            };
            i32::from(AGENT.set(agent).is_err())
        },
    )
}

unsafe extern "system" fn vm_init(_: *mut RawEnv, jni: *mut JNIEnv, _: jthread) {
    guard(
        (),
        |panic| eprintln!("agent: {panic}"),
        || {
            let agent = agent();
            let vm = VmStructs::load().expect("tables");
            let flags = JvmFlags::load(&vm).expect("flags");
            let collector = Collector::of(&flags).expect("collector");
            let chunk_size = stack_chunk_size_offset(jni);
            let mut watch = CollectionWatch::new(&vm, &flags, collector).expect("watch");
            if let Some(offset) = chunk_size {
                watch.set_stack_chunk_size_offset(offset);
            }
            assert!(watch.tell_unannounced(Box::new(AsIfAnnounced)));
            let sizes = ObjectSizes::load(&vm, &flags, chunk_size).expect("sizes");
            let oracle = Oracle::new(sizes, collector, agent.verbose);
            *watched() = Some(Watched { watch, oracle });
            for event in [
                EventKind::GARBAGE_COLLECTION_START,
                EventKind::GARBAGE_COLLECTION_FINISH,
            ] {
                agent.env.enable(event).expect("event");
            }
            if let Some(watched) = &*watched() {
                watched.watch.announced();
            }
        },
    );
}

unsafe extern "system" fn collection_start(_: *mut RawEnv) {
    guard((), |panic| eprintln!("agent: {panic}"), started);
}

unsafe extern "system" fn collection_finish(_: *mut RawEnv) {
    guard((), |panic| eprintln!("agent: WRONG: {panic}"), finished);
}

/// Handles collections without events like the others.
struct AsIfAnnounced;

impl UnannouncedCollections for AsIfAnnounced {
    fn began(&mut self) {
        started();
        if let Some(watched) = watched().as_mut() {
            watched.oracle.note_unannounced();
        }
    }

    fn ended(&mut self) {
        finished();
    }
}

fn started() {
    if let Some(watched) = watched().as_mut() {
        watched.watch.start();
    }
}

fn finished() {
    if let Some(watched) = watched().as_mut() {
        let mut reports = Vec::new();
        watched.watch.finish(&mut reports);
        let classes = watched.watch.classes();
        watched.oracle.check(&reports, &classes);
    }
}

fn agent() -> &'static Agent {
    AGENT.get().expect("loaded as an agent")
}

fn watched() -> MutexGuard<'static, Option<Watched>> {
    WATCHED.lock().unwrap_or_else(|lock| lock.into_inner())
}

fn tagged() -> MutexGuard<'static, TaggedObjects> {
    TAGGED.lock().unwrap_or_else(|lock| lock.into_inner())
}

/// Wraps the environment of a callback or native call.
fn jni(env: *mut JNIEnv) -> Jni {
    // SAFETY: the VM passes the environment of the current thread, valid for this call.
    unsafe { Jni::from_raw(env) }.expect("JNIEnv")
}

/// The offset of `StackChunk.size`, from the internal `Unsafe`; `None` if there is no such class.
fn stack_chunk_size_offset(env: *mut JNIEnv) -> Option<usize> {
    let jni = jni(env);
    let Ok(chunk) = jni.find_class("jdk/internal/vm/StackChunk") else {
        jni.clear_exception();
        return None;
    };
    let class = jni.find_class("jdk/internal/misc/Unsafe").ok()?;
    let signature = "()Ljdk/internal/misc/Unsafe;";
    let get = jni.static_method_id(class, "getUnsafe", signature).ok()?;
    let instance = jni.call_static_object(class, get, &[]).ok()?;
    let signature = "(Ljava/lang/Class;Ljava/lang/String;)J";
    let offset = jni.method_id(class, "objectFieldOffset", signature).ok()?;
    let name = jni.new_string("size").ok()?;
    let arguments = [
        ducktrack_jvmti::sys::jvalue { l: chunk },
        ducktrack_jvmti::sys::jvalue { l: name },
    ];
    let offset = jni.call_long(instance, offset, &arguments).ok()?;
    usize::try_from(offset).ok()
}

/// Tags an object with its id.
#[unsafe(no_mangle)]
pub extern "system" fn Java_GcMovesProbe_tag(
    _: *mut JNIEnv,
    _: jclass,
    object: jobject,
    id: jlong,
) {
    guard(
        (),
        |panic| eprintln!("agent: {panic}"),
        || {
            let epoch = watched()
                .as_ref()
                .map_or(0, |watched| watched.oracle.epoch());
            agent().env.set_tag(object, id).expect("tag");
            tagged().add(id.cast_unsigned(), epoch);
        },
    );
}

/// Compares the tagged objects that are alive for JVMTI with those of the model.
#[unsafe(no_mangle)]
pub extern "system" fn Java_GcMovesProbe_compareTags(_: *mut JNIEnv, _: jclass) {
    guard(
        (),
        |panic| eprintln!("agent: WRONG: {panic}"),
        || {
            // A collection in between changes both sides; then it tries again.
            for _ in 0..10 {
                let ids = |watched: &Watched| (watched.oracle.epoch(), watched.oracle.ids());
                let Some((epoch, ids)) = watched().as_ref().map(ids) else {
                    return;
                };
                let alive = tagged().alive(agent().env);
                if let Some(watched) = watched().as_mut()
                    && watched.oracle.epoch() == epoch
                {
                    let outcome = tagged().compare(&ids, &alive, epoch);
                    watched.oracle.add_tags(outcome);
                    return;
                }
            }
        },
    );
}

/// The findings of the oracle, in lines of `name value`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_GcMovesProbe_summary(env: *mut JNIEnv, _: jclass) -> jstring {
    guard(
        std::ptr::null_mut(),
        |panic| eprintln!("agent: {panic}"),
        || {
            let summary = watched()
                .as_ref()
                .map_or_else(String::new, |watched| watched.oracle.summary());
            jni(env).new_string(&summary).expect("string")
        },
    )
}
