//! A small agent that writes what the crate `hotspot` finds in a running VM, so that tests can compare it with an
//! independent truth.
//!
//! `java -agentpath:libprobe_agent.so=FILE HotspotProbe` writes one line per fact to FILE at `VMInit` (`name value`), and is the native
//! library of the test program `HotspotProbe` (`tests/vm/HotspotProbe.java`), which loads it again with `System.load`.

mod heap_comparison;

use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Instant;

use ducktrack_hotspot::{
    Address, Collector, Error, FlagValue, InstanceSize, JvmFlags, JvmciSlotRefusal, KlassLayout,
    LayoutHelper, ThreadLayout, VmStructs, jvmci_reserved_slot,
};
use ducktrack_jvmti::sys::{JNIEnv, JavaVM, jboolean, jclass, jint, jlong, jobject, jstring};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, EventCallbacks, EventKind, Jni, RawEnv, Vm, guard, jthread,
};

use crate::heap_comparison::compare_heap;

/// The results of `Agent_OnLoad`.
struct Probe {
    output: String,
    env: Env,
    vm: VmStructs,
    flags: JvmFlags,
    threads: ThreadLayout,
    slot: Result<usize, JvmciSlotRefusal>,
    load_micros: u128,
}

static PROBE: OnceLock<Probe> = OnceLock::new();
static CLASSES: OnceLock<KlassLayout> = OnceLock::new();

/// Reads the VM's tables. Any failure is printed and ends the VM, so that tests notice it.
///
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
        |panic| eprintln!("probe: {panic}"),
        || {
            // SAFETY: the VM passes a valid pointer.
            let vm = unsafe { Vm::from_raw(vm) }.expect("JavaVM");
            // SAFETY: the VM passes the text after `=` as a C string; tests always give one.
            let output = unsafe { CStr::from_ptr(options) }
                .to_str()
                .expect("file name")
                .to_owned();
            let (env, _) = vm.jvmti().expect("JVMTI");
            let wanted = Capabilities::of(&[Capability::CanTagObjects]);
            assert_eq!(env.add_capabilities(&wanted).expect("capabilities"), wanted);
            let probe = load(output, env).expect("the tables of the VM");
            let callbacks = EventCallbacks {
                VMInit: Some(vm_init),
                ..EventCallbacks::default()
            };
            // SAFETY: the callback is guarded against panics, and an agent is never unloaded.
            unsafe { env.set_event_callbacks(&callbacks) }.expect("callbacks");
            env.enable(EventKind::VM_INIT).expect("VMInit");
            i32::from(PROBE.set(probe).is_err())
        },
    )
}

fn load(output: String, env: Env) -> Result<Probe, Error> {
    let start = Instant::now();
    let vm = VmStructs::load()?;
    let flags = JvmFlags::load(&vm)?;
    let threads = ThreadLayout::load_with(&vm, &flags)?;
    let slot = jvmci_reserved_slot(&vm, &flags);
    let load_micros = start.elapsed().as_micros();
    Ok(Probe {
        output,
        env,
        vm,
        flags,
        threads,
        slot,
        load_micros,
    })
}

unsafe extern "system" fn vm_init(_: *mut RawEnv, _: *mut JNIEnv, _: jthread) {
    guard(
        (),
        |panic| eprintln!("probe: {panic}"),
        || {
            let probe = probe();
            let classes = KlassLayout::load(&probe.vm).expect("class layout");
            std::fs::write(&probe.output, report(probe, &classes)).expect("write");
            CLASSES.set(classes).expect("once");
        },
    );
}

/// All results, one per line.
fn report(probe: &Probe, classes: &KlassLayout) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| writeln!(text, "{name} {value}").expect("a string");
    let (fields, types, constants) = probe.vm.counts();
    line("load-micros", probe.load_micros.to_string());
    line("fields", fields.to_string());
    line("types", types.to_string());
    line("constants", constants.to_string());
    line("tlab-top", probe.threads.tlab_top.to_string());
    line("allocated-bytes", probe.threads.allocated_bytes.to_string());
    line("class-klass", classes.class_klass.to_string());
    line(
        "collector",
        Collector::of(&probe.flags)
            .map_or("none", Collector::name)
            .to_owned(),
    );
    match &probe.slot {
        Ok(offset) => line("slot", offset.to_string()),
        Err(refusal) => line("slot-refused", refusal.to_string()),
    }
    for name in probe.flags.names() {
        if let Some(value) = probe.flags.get(name) {
            line("flag", format!("{name} {}", flag_text(&value)));
        }
    }
    text
}

/// Formats a flag value like `-XX:+PrintFlagsFinal`.
fn flag_text(value: &FlagValue) -> String {
    match value {
        FlagValue::Bool(on) => on.to_string(),
        FlagValue::Signed(number) => number.to_string(),
        FlagValue::Unsigned(number) => number.to_string(),
        FlagValue::Double(number) => format!("{number:.6}"),
        FlagValue::Text(text) => text.clone().unwrap_or_default(),
        other => format!("{other:?}"),
    }
}

fn probe() -> &'static Probe {
    PROBE.get().expect("loaded as an agent")
}

fn classes() -> &'static KlassLayout {
    CLASSES.get().expect("after VMInit")
}

/// Wraps the environment of a native call.
fn jni(env: *mut JNIEnv) -> Jni {
    // SAFETY: the VM passes native methods the environment of their thread.
    unsafe { Jni::from_raw(env) }.expect("JNIEnv")
}

/// Runs the body of a native method; on a panic, prints it and returns the fallback.
fn native<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    guard(fallback, |panic| eprintln!("probe: {panic}"), body)
}

/// Converts an address from a Java `long`.
fn address(number: jlong) -> Address {
    Address(usize::try_from(number).expect("address"))
}

/// Converts a count to a Java `long`.
fn long(number: impl TryInto<jlong>) -> jlong {
    number.try_into().unwrap_or(-1)
}

/// The native thread (eetop) of a Java thread.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_eetop(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
) -> jlong {
    native(-1, || {
        let jni = jni(env);
        let class = jni.find_class("java/lang/Thread").expect("Thread");
        let field = jni.field_id(class, "eetop", "J").expect("eetop");
        jni.long_field(thread, field)
    })
}

/// `cooked_allocated_bytes` of a live thread.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_cooked(_: *mut JNIEnv, _: jclass, eetop: jlong) -> jlong {
    native(-1, || {
        // SAFETY: the test program passes the eetop of its own running thread.
        long(unsafe { probe().threads.cooked_allocated_bytes(address(eetop)) })
    })
}

/// The top of the thread's allocation buffer.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_tlabTop(_: *mut JNIEnv, _: jclass, eetop: jlong) -> jlong {
    native(-1, || {
        // SAFETY: the test program passes the eetop of its own running thread.
        long(unsafe { probe().threads.tlab(address(eetop)) }.top.0)
    })
}

/// The number of allocations outside of the thread's buffer.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_slowAllocations(
    _: *mut JNIEnv,
    _: jclass,
    eetop: jlong,
) -> jlong {
    native(-1, || {
        // SAFETY: the test program passes the eetop of its own running thread.
        long(unsafe { probe().threads.slow_allocation_count(address(eetop)) })
    })
}

/// The offset of the reserved word, or -1.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_slot(_: *mut JNIEnv, _: jclass) -> jlong {
    native(-1, || probe().slot.as_ref().map_or(-1, |&slot| long(slot)))
}

/// The offset of the Klass in a `Class` object.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_klassOffset(_: *mut JNIEnv, _: jclass) -> jlong {
    native(-1, || long(classes().class_klass))
}

/// The internal name of the class with this Klass.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_klassName(
    env: *mut JNIEnv,
    _: jclass,
    klass: jlong,
) -> jstring {
    native(std::ptr::null_mut(), || {
        let name = classes().name_of(address(klass)).expect("name");
        jni(env)
            .new_string_from_modified_utf8(&name)
            .expect("string")
    })
}

/// Whether the class is hidden.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_isHidden(
    _: *mut JNIEnv,
    _: jclass,
    klass: jlong,
) -> jboolean {
    native(false, || classes().is_hidden(address(klass)).expect("name"))
}

/// The size in bytes of an instance by the class's layout helper; `length` is used for arrays only.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_predictedSize(
    _: *mut JNIEnv,
    _: jclass,
    klass: jlong,
    length: jint,
) -> jlong {
    native(-1, || {
        let helper: LayoutHelper = classes()
            .layout_helper_of(address(klass))
            .expect("layout helper");
        let alignment = probe().flags.number("ObjectAlignmentInBytes").unwrap_or(8);
        let alignment = usize::try_from(alignment).expect("alignment");
        match helper.decode() {
            InstanceSize::Fixed { bytes, .. } => long(bytes),
            InstanceSize::Array { .. } => {
                let length = usize::try_from(length).expect("length");
                helper.array_bytes(length, alignment).map_or(-1, long)
            }
            InstanceSize::None => 0,
        }
    })
}

/// The size of an object according to JVMTI.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_jvmtiSize(
    _: *mut JNIEnv,
    _: jclass,
    object: jobject,
) -> jlong {
    native(-1, || probe().env.object_size(object).expect("size"))
}

/// Reads a word of memory that belongs to a live thread.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_peek(_: *mut JNIEnv, _: jclass, place: jlong) -> jlong {
    // SAFETY: the test program passes an address inside of its own native thread.
    native(-1, || unsafe { address(place).read() })
}

/// Writes a word of memory that belongs to a live thread.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_poke(
    _: *mut JNIEnv,
    _: jclass,
    place: jlong,
    value: jlong,
) {
    native((), || {
        // SAFETY: the test program passes the address of the reserved word in its own native thread.
        unsafe {
            address(place)
                .pointer::<jlong>()
                .cast_mut()
                .write_volatile(value)
        };
    });
}

/// Walks the heap, iterates over it with JVMTI, and returns a report: the first line is `ok` or the differences. `chunk_size` is the
/// offset of `StackChunk.size`, or -1.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HeapWalkProbe_compare(
    env: *mut JNIEnv,
    _: jclass,
    chunk_size: jlong,
) -> jstring {
    native(std::ptr::null_mut(), || {
        let report =
            compare_heap(probe(), usize::try_from(chunk_size).ok()).unwrap_or_else(|error| error);
        jni(env).new_string(&report).expect("string")
    })
}
