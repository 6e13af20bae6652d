//! A small agent that tells what this crate finds in a running VM, so that tests can compare it with independent truth.
//!
//! `java -agentpath:libprobe_agent.so=FILE HotspotProbe` writes one line per fact to FILE at `VMInit` (`name value`), and is the native
//! library of the test program `HotspotProbe` (`tests/java/HotspotProbe.java`), which loads it once more by `System.load`.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Instant;

use ducktrack_hotspot::{
    Address, ClassTable, Collector, Error, FlagValue, HeapSpaces, InstanceSize, JvmFlags,
    JvmciSlotRefusal, KlassLayout, LayoutHelper, ObjectSizes, ObjectWalk, ThreadLayout, VmStructs,
    jvmci_reserved_slot,
};
use ducktrack_jvmti::sys::{JNIEnv, JavaVM, jboolean, jclass, jint, jlong, jobject, jstring};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, EventCallbacks, EventKind, HeapVisitor, Jni, RawEnv, Vm, guard,
    jthread,
};

/// What was found at `Agent_OnLoad`.
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

/// Reads the VM's tables; any failure is printed and ends the VM, because a test must see it.
///
/// # Safety
/// Called by the VM only.
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
            // SAFETY: the VM passes its own pointer.
            let vm = unsafe { Vm::from_raw(vm) }.expect("JavaVM");
            // SAFETY: the VM passes the text after `=`, or null.
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
            // SAFETY: the callback is guarded, and an agent is never unloaded.
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

/// All facts, one per line.
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

/// A flag value as `-XX:+PrintFlagsFinal` prints it.
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
    // SAFETY: native methods get the environment of their thread.
    unsafe { Jni::from_raw(env) }.expect("JNIEnv")
}

/// Runs the body of a native method; a panic is printed and gives the fallback.
fn native<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    guard(fallback, |panic| eprintln!("probe: {panic}"), body)
}

/// An address that Java carries as a `long`.
fn address(number: jlong) -> Address {
    Address(usize::try_from(number).expect("address"))
}

/// A count for Java.
fn long(number: impl TryInto<jlong>) -> jlong {
    number.try_into().unwrap_or(-1)
}

/// The native thread of a Java thread.
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
        // SAFETY: the program passes the eetop of its own running thread.
        long(unsafe { probe().threads.cooked_allocated_bytes(address(eetop)) })
    })
}

/// The top of the thread's allocation buffer.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_tlabTop(_: *mut JNIEnv, _: jclass, eetop: jlong) -> jlong {
    native(-1, || {
        // SAFETY: the program passes the eetop of its own running thread.
        long(unsafe { probe().threads.tlab(address(eetop)) }.top.0)
    })
}

/// Allocations outside the thread's buffer.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_slowAllocations(
    _: *mut JNIEnv,
    _: jclass,
    eetop: jlong,
) -> jlong {
    native(-1, || {
        // SAFETY: the program passes the eetop of its own running thread.
        long(unsafe { probe().threads.slow_allocation_count(address(eetop)) })
    })
}

/// The offset of the reserved word, or -1.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_slot(_: *mut JNIEnv, _: jclass) -> jlong {
    native(-1, || probe().slot.as_ref().map_or(-1, |&slot| long(slot)))
}

/// Where a `Class` object keeps its Klass.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_klassOffset(_: *mut JNIEnv, _: jclass) -> jlong {
    native(-1, || long(classes().class_klass))
}

/// The internal name of a class by its Klass.
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

/// Is it a hidden class?
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_isHidden(
    _: *mut JNIEnv,
    _: jclass,
    klass: jlong,
) -> jboolean {
    native(false, || classes().is_hidden(address(klass)).expect("name"))
}

/// The access flags of the class file.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HotspotProbe_accessFlags(
    _: *mut JNIEnv,
    _: jclass,
    klass: jlong,
) -> jint {
    native(-1, || {
        let flags = classes().access_flags_of(address(klass)).expect("flags");
        (flags & 0x7FFF).cast_signed()
    })
}

/// The size in bytes an instance has by the class's layout helper; `length` counts for arrays only.
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

/// The size of an object as JVMTI tells it.
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
    // SAFETY: the program passes a place inside its own native thread.
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
        // SAFETY: the program passes the reserved word of its own native thread.
        unsafe {
            address(place)
                .pointer::<jlong>()
                .cast_mut()
                .write_volatile(value)
        };
    });
}

/// Number and bytes of the objects of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    objects: u64,
    bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes += bytes;
    }
}

/// Compares our walk of the whole heap with JVMTI's iteration: the walk happens inside the iteration, at the same safepoint.
struct HeapComparison {
    spaces: HeapSpaces,
    classes: ClassTable,
    sizes: ObjectSizes,
    /// By internal name: what the walk found.
    walked: Option<Result<BTreeMap<Vec<u8>, Tally>, String>>,
    /// By class tag: what JVMTI visits.
    visited: Vec<Tally>,
    spaces_seen: usize,
    walk_micros: u128,
}

impl HeapVisitor for HeapComparison {
    fn visit(&mut self, class_tag: jlong, size: jlong, _: &mut jlong, _: Option<i32>) -> bool {
        if self.walked.is_none() {
            self.walked = Some(self.walk());
        }
        let row = usize::try_from(class_tag).expect("tag");
        self.visited[row].add(u64::try_from(size).expect("size"));
        true
    }
}

impl HeapComparison {
    fn walk(&mut self) -> Result<BTreeMap<Vec<u8>, Tally>, String> {
        self.classes.refresh().map_err(|error| error.to_string())?;
        let mut spaces = Vec::new();
        self.spaces
            .list(&mut spaces)
            .map_err(|error| error.to_string())?;
        self.spaces_seen = spaces.len();
        let start = Instant::now();
        let mut by_class = vec![Tally::default(); self.classes.classes().count()];
        for space in &spaces {
            // SAFETY: JVMTI iterates at a safepoint, and the VM keeps memory up to the top committed.
            for object in unsafe { ObjectWalk::new(space, &self.classes, &self.sizes) } {
                let object = object.map_err(|fault| format!("{space:?}: {fault}"))?;
                by_class[object.class.0 as usize].add(object.bytes as u64);
            }
        }
        self.walk_micros = start.elapsed().as_micros();
        let mut by_name: BTreeMap<Vec<u8>, Tally> = BTreeMap::new();
        for ((_, class), tally) in self
            .classes
            .classes()
            .zip(by_class)
            .filter(|(_, tally)| tally.objects != 0)
        {
            let total = by_name.entry(class.name.clone()).or_default();
            total.objects += tally.objects;
            total.bytes += tally.bytes;
        }
        Ok(by_name)
    }
}

/// The internal name in a signature: `Ljava/lang/String;` and `[I` give `java/lang/String` and `[I`; the dot of a hidden class is a plus, and
/// the number that JDK 11 adds to its VM-anonymous classes (`X$$Lambda$4/1112280004`) goes away.
fn internal_name(signature: &[u8]) -> Vec<u8> {
    let name = signature
        .strip_prefix(b"L")
        .and_then(|rest| rest.strip_suffix(b";"))
        .unwrap_or(signature);
    let last = name
        .iter()
        .rposition(|&byte| byte == b'/')
        .unwrap_or(name.len());
    let numbered = name
        .get(last + 1..)
        .is_some_and(|rest| rest.iter().all(u8::is_ascii_digit));
    let name = if numbered { &name[..last] } else { name };
    name.iter()
        .map(|&byte| if byte == b'.' { b'+' } else { byte })
        .collect()
}

/// Walks the heap and iterates over it by JVMTI, and returns a report: first line `ok` or what differs. `chunk_size` is the offset of
/// `StackChunk.size`, or -1.
#[unsafe(no_mangle)]
pub extern "system" fn Java_HeapWalkProbe_compare(
    env: *mut JNIEnv,
    _: jclass,
    chunk_size: jlong,
) -> jstring {
    native(std::ptr::null_mut(), || {
        let report = compare_heap(usize::try_from(chunk_size).ok()).unwrap_or_else(|error| error);
        jni(env).new_string(&report).expect("string")
    })
}

fn compare_heap(chunk_size: Option<usize>) -> Result<String, String> {
    let (probe, env) = (probe(), probe().env);
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let loaded = env.loaded_classes().map_err(|error| text(&error))?;
    let mut names = vec![Vec::new()];
    for (tag, &class) in (1..).zip(loaded.iter()) {
        env.set_tag(class, tag).map_err(|error| text(&error))?;
        names.push(internal_name(
            &env.class_signature(class).map_err(|error| text(&error))?,
        ));
    }
    let collector = Collector::of(&probe.flags).ok_or("no collector")?;
    let mut comparison = HeapComparison {
        spaces: HeapSpaces::load(&probe.vm, collector).map_err(|error| text(&error))?,
        classes: ClassTable::new(&probe.vm).map_err(|error| text(&error))?,
        sizes: ObjectSizes::load(&probe.vm, &probe.flags, chunk_size)
            .map_err(|error| text(&error))?,
        walked: None,
        visited: vec![Tally::default(); names.len()],
        spaces_seen: 0,
        walk_micros: 0,
    };
    env.iterate_through_heap(0, std::ptr::null_mut(), &mut comparison)
        .map_err(|error| text(&error))?;
    let walked = comparison.walked.take().ok_or("nothing visited")??;
    Ok(differences(&comparison, &names, walked))
}

/// What the two sides disagree on, class by class.
fn differences(
    comparison: &HeapComparison,
    names: &[Vec<u8>],
    walked: BTreeMap<Vec<u8>, Tally>,
) -> String {
    let mut visited: BTreeMap<Vec<u8>, Tally> = BTreeMap::new();
    for (name, tally) in names
        .iter()
        .zip(&comparison.visited)
        .skip(1)
        .filter(|(_, tally)| tally.objects != 0)
    {
        let total = visited.entry(name.clone()).or_default();
        total.objects += tally.objects;
        total.bytes += tally.bytes;
    }
    let sum = |tallies: &BTreeMap<Vec<u8>, Tally>| {
        tallies.values().map(|tally| tally.objects).sum::<u64>()
    };
    let mut text = String::new();
    let mut line = |value: String| writeln!(text, "{value}").expect("a string");
    for (name, tally) in &visited {
        let ours = walked.get(name).copied().unwrap_or_default();
        if ours != *tally {
            line(format!(
                "DIFFERENT {}: walked {ours:?}, JVMTI {tally:?}",
                String::from_utf8_lossy(name)
            ));
        }
    }
    for (name, tally) in walked
        .iter()
        .filter(|(name, _)| !visited.contains_key(*name))
    {
        line(format!(
            "not-visited {} {tally:?}",
            String::from_utf8_lossy(name)
        ));
    }
    let chunks = walked
        .get(&b"jdk/internal/vm/StackChunk"[..])
        .copied()
        .unwrap_or_default();
    line(format!("stack-chunks {}", chunks.objects));
    line(format!(
        "untagged {:?}",
        comparison.visited.first().copied().unwrap_or_default()
    ));
    line(format!(
        "visited {} classes {}",
        sum(&visited),
        visited.len()
    ));
    line(format!(
        "walked {} spaces {} micros {}",
        sum(&walked),
        comparison.spaces_seen,
        comparison.walk_micros
    ));
    text
}
