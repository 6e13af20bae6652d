//! A small agent that calls the functions of the crate `jvmti` in a live VM and compares the results with known
//! values.
//!
//! `java -agentpath:libwrapper_agent.so=FILE -version` writes one line per group of checks to FILE, and `done` at the end. A failed
//! check writes its message instead; the VM continues, as it must after any fault of an agent. Run by `tests/vm/jvmti_wrapper.rs`.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_jvmti::sys::{JNIEnv, JavaVM, jclass, jint, jlong, jobject, jvalue};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, Error, ErrorCode, EventCallbacks, EventKind, HeapVisitor, Jni,
    Phase, RawEnv, Vm, class_status, guard, jthread,
};

static AGENT: OnceLock<Agent> = OnceLock::new();
/// How often a class was retransformed, and how often the load hook panicked.
static RETRANSFORMED: AtomicUsize = AtomicUsize::new(0);
static PANICS: AtomicUsize = AtomicUsize::new(0);

struct Agent {
    env: Env,
    output: String,
}

/// The result of a group of checks: a message if one failed.
type Outcome = Result<(), String>;

/// Fails the group if the condition does not hold.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

/// Sets up the callbacks.
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
        |panic| eprintln!("wrapper agent: {panic}"),
        || {
            // SAFETY: the VM passes a valid pointer.
            let vm = unsafe { Vm::from_raw(vm) }.expect("JavaVM");
            // SAFETY: the VM passes the text after `=` as a C string; the test always gives one.
            let output = unsafe { CStr::from_ptr(options) }
                .to_str()
                .expect("file name")
                .to_owned();
            let (env, _) = vm.jvmti().expect("JVMTI");
            assert_eq!(env.phase(), Ok(Phase::ONLOAD));
            let wanted = Capabilities::of(&[
                Capability::CanRetransformClasses,
                Capability::CanTagObjects,
                Capability::CanGetBytecodes,
                Capability::CanGetLineNumbers,
                Capability::CanGetSourceFileName,
            ]);
            assert_eq!(env.add_capabilities(&wanted), Ok(wanted));
            let callbacks = EventCallbacks {
                VMInit: Some(vm_init),
                ClassFileLoadHook: Some(class_file_load_hook),
                ..EventCallbacks::default()
            };
            // SAFETY: the callbacks are guarded against panics, and an agent is never unloaded.
            unsafe { env.set_event_callbacks(&callbacks) }.expect("callbacks");
            env.enable(EventKind::VM_INIT).expect("VMInit");
            i32::from(AGENT.set(Agent { env, output }).is_err())
        },
    )
}

unsafe extern "system" fn vm_init(env: *mut RawEnv, jni: *mut JNIEnv, thread: jthread) {
    guard(
        (),
        |panic| eprintln!("wrapper agent: {panic}"),
        || {
            // SAFETY: the VM passes valid environments for this thread.
            let (env, jni) = unsafe { (Env::from_raw(env), Jni::from_raw(jni)) };
            let (env, jni) = (env.expect("env"), jni.expect("jni"));
            let agent = AGENT.get().expect("loaded");
            assert_eq!(env, agent.env);
            let groups: [(&str, Outcome); 9] = [
                ("system", system(env)),
                ("errors", errors(env)),
                ("classes", classes(env, jni)),
                ("retransformation", retransformation(env, jni)),
                ("threads", threads(env, jni, thread)),
                ("values", values(jni)),
                ("references", references(jni)),
                ("heap", heap(env, jni)),
                ("tables", tables(env, jni)),
            ];
            let lines = groups.map(|(name, outcome)| match outcome {
                Ok(()) => format!("{name} ok\n"),
                Err(message) => format!("{name} FAILED {message}\n"),
            });
            std::fs::write(&agent.output, lines.concat() + "done\n").expect("write");
        },
    );
}

/// Returns a copy of every retransformed class's bytes as the new ones; panics for one class, to show that the VM
/// continues.
unsafe extern "system" fn class_file_load_hook(
    env: *mut RawEnv,
    _: *mut JNIEnv,
    redefined: jclass,
    _: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    bytes: *const u8,
    new_length: *mut jint,
    new_bytes: *mut *mut u8,
) {
    let count_panic = |_: &str| {
        PANICS.fetch_add(1, Ordering::Relaxed);
    };
    guard((), count_panic, || {
        if redefined.is_null() || name.is_null() {
            return;
        }
        RETRANSFORMED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the VM passes the name as a C string.
        let name = unsafe { CStr::from_ptr(name) };
        assert!(name != c"java/util/BitSet", "a panic on purpose");
        // SAFETY: the VM passes a valid environment.
        let env = unsafe { Env::from_raw(env) }.expect("env");
        // SAFETY: the VM passes `length` readable bytes.
        let bytes =
            unsafe { std::slice::from_raw_parts(bytes, usize::try_from(length).expect("length")) };
        let copy = env.allocate_copy(bytes).expect("memory");
        // SAFETY: the VM passes valid places for the results.
        unsafe {
            *new_length = length;
            *new_bytes = copy.as_ptr();
        }
    });
}

/// Converts any error to the message of a failed check.
fn text(error: Error) -> String {
    error.to_string()
}

fn system(env: Env) -> Outcome {
    ensure!(env.phase() == Ok(Phase::LIVE), "phase {:?}", env.phase());
    let version = env
        .system_property("java.vm.specification.version")
        .map_err(text)?;
    let version = String::from_utf8(version.unwrap_or_default()).unwrap_or_default();
    let number = version.parse().unwrap_or(0);
    ensure!((11..100).contains(&number), "property {version}");
    ensure!(
        env.system_property("no.such.property") == Ok(None),
        "unknown property"
    );
    let (first, second) = (
        env.time_nanos().map_err(text)?,
        env.time_nanos().map_err(text)?,
    );
    ensure!(first <= second, "time {first}, then {second}");
    env.force_garbage_collection().map_err(text)
}

fn errors(env: Env) -> Outcome {
    let unknown = env.class_signature(std::ptr::null_mut());
    ensure!(
        unknown
            == Err(Error::Jvmti {
                function: "GetClassSignature",
                code: ErrorCode::INVALID_CLASS
            }),
        "{unknown:?}"
    );
    Ok(())
}

fn classes(env: Env, jni: Jni) -> Outcome {
    let string = jni.find_class("java/lang/String").map_err(text)?;
    let loaded = env.loaded_classes().map_err(text)?;
    let found = loaded
        .iter()
        .filter(|&&class| env.class_signature(class).as_deref() == Ok(b"Ljava/lang/String;"));
    ensure!(found.count() == 1, "String is not loaded once");
    ensure!(
        env.class_loader(string).map_err(text)?.is_null(),
        "loader of String"
    );
    ensure!(
        env.class_status(string).map_err(text)? & class_status::INITIALIZED != 0,
        "status of String"
    );
    ensure!(
        env.class_modifiers(string).map_err(text)? & 0x611 == 0x11,
        "modifiers of String"
    );
    ensure!(
        env.is_modifiable_class(string) == Ok(true),
        "String is modifiable"
    );
    let array = jni.find_class("[I").map_err(text)?;
    ensure!(
        env.is_array_class(array) == Ok(true),
        "[I is an array class"
    );
    ensure!(
        env.is_modifiable_class(array) == Ok(false),
        "[I is not modifiable"
    );
    Ok(())
}

/// Retransforms a batch that includes one class which cannot be changed: that one is found, the others are changed.
fn retransformation(env: Env, jni: Jni) -> Outcome {
    let names = [
        "java/util/ArrayList",
        "java/util/HashMap",
        "[I",
        "java/util/BitSet",
        "java/util/TreeMap",
    ];
    let mut classes = Vec::new();
    for name in names {
        classes.push(jni.find_class(name).map_err(text)?);
    }
    env.enable(EventKind::CLASS_FILE_LOAD_HOOK).map_err(text)?;
    let mut failures = Vec::new();
    let done = env.retransform_in_batches(&classes, 64, |class, error| {
        failures.push((class, error.code()))
    });
    env.disable(EventKind::CLASS_FILE_LOAD_HOOK).map_err(text)?;
    ensure!(done == 4, "{done} retransformed");
    ensure!(
        failures == [(classes[2], Some(ErrorCode::UNMODIFIABLE_CLASS))],
        "{failures:?}"
    );
    ensure!(RETRANSFORMED.load(Ordering::Relaxed) >= 4, "hook calls");
    ensure!(
        PANICS.load(Ordering::Relaxed) == 1,
        "{} panics",
        PANICS.load(Ordering::Relaxed)
    );
    Ok(())
}

fn threads(env: Env, jni: Jni, thread: jthread) -> Outcome {
    let main = env.thread_info(thread).map_err(text)?;
    ensure!(main.name == b"main" && !main.is_daemon, "{main:?}");
    let before = env.all_threads().map_err(text)?.len();
    ensure!(before >= 1, "no thread");
    let vm = jni.vm().map_err(text)?;
    let groups = env.top_thread_groups().map_err(text)?;
    let system = groups.first().copied().ok_or("no thread group")?;
    // Another thread needs a reference that is not local.
    let system = jni.new_global_ref(system).map_err(text)? as usize;
    let native = std::thread::spawn(move || {
        let attached = vm
            .attach_current_thread_as_daemon("native", system as jobject)
            .and_then(|jni| jni.new_string("x"))
            .is_ok();
        let info = env.thread_info(std::ptr::null_mut());
        (
            attached,
            info.map(|info| (info.name, info.is_daemon)),
            vm.detach_current_thread().is_ok(),
            vm.jni().is_err(),
        )
    });
    let outcome = native.join().map_err(|_| "panic")?;
    let named = Ok((b"native".to_vec(), true));
    ensure!(outcome == (true, named, true, true), "{outcome:?}");
    Ok(())
}

fn values(jni: Jni) -> Outcome {
    let plain = "caf\u{e9} \u{1F986} \0 end";
    let string = jni.new_string(plain).map_err(text)?;
    ensure!(jni.string(string).as_deref() == Ok(plain), "string");
    let bytes: Vec<u8> = (0..=255).collect();
    let array = jni.new_byte_array(&bytes).map_err(text)?;
    ensure!(jni.byte_array(array).as_ref() == Ok(&bytes), "bytes");
    let integer = jni.find_class("java/lang/Integer").map_err(text)?;
    ensure!(!jni.exception_pending(), "exception is still pending");
    let most = jni
        .static_field_id(integer, "MAX_VALUE", "I")
        .map_err(text)?;
    ensure!(jni.static_int_field(integer, most) == i32::MAX, "MAX_VALUE");
    let date = jni.find_class("java/util/Date").map_err(text)?;
    let constructor = jni.method_id(date, "<init>", "(J)V").map_err(text)?;
    let object = jni
        .new_object(date, constructor, &[jvalue { j: 1_000_000_007 }])
        .map_err(text)?;
    let field = jni.field_id(date, "fastTime", "J").map_err(text)?;
    ensure!(jni.long_field(object, field) == 1_000_000_007, "fastTime");
    let get = jni.method_id(date, "getTime", "()J").map_err(text)?;
    ensure!(
        jni.call_long(object, get, &[]) == Ok(1_000_000_007),
        "getTime"
    );
    let missing = jni.static_method_id(integer, "noSuchMethod", "()V");
    ensure!(
        missing
            == Err(Error::JavaException {
                function: "GetStaticMethodID"
            }),
        "{missing:?}"
    );
    ensure!(
        jni.find_class("no/such/Class").is_err() && !jni.exception_pending(),
        "missing class"
    );
    let torn = jni.define_class(
        "java/lang/Torn",
        std::ptr::null_mut(),
        &[0xCA, 0xFE, 0xBA, 0xBE],
    );
    ensure!(
        torn == Err(Error::JavaException {
            function: "DefineClass"
        }),
        "{torn:?}"
    );
    Ok(())
}

fn references(jni: Jni) -> Outcome {
    let local = jni.new_string("kept").map_err(text)?;
    let (global, weak) = (
        jni.new_global_ref(local).map_err(text)?,
        jni.new_weak_global_ref(local).map_err(text)?,
    );
    jni.delete_local_ref(local);
    ensure!(
        jni.string(global).as_deref() == Ok("kept"),
        "global reference"
    );
    let again = jni.new_local_ref(weak).ok_or("weak reference is gone")?;
    ensure!(jni.is_same_object(again, global), "weak reference");
    jni.delete_weak_global_ref(weak);
    jni.delete_global_ref(global);
    for _ in 0..1000 {
        let made = jni
            .with_local_frame(16, || jni.new_byte_array(&[0; 10]).is_ok())
            .map_err(text)?;
        ensure!(made, "array in a local frame");
    }
    Ok(())
}

/// Counts objects of one class by the class's tag.
struct Counter {
    objects: usize,
    bytes: jlong,
}

impl HeapVisitor for Counter {
    fn visit(
        &mut self,
        class_tag: jlong,
        size: jlong,
        tag: &mut jlong,
        array_length: Option<i32>,
    ) -> bool {
        if class_tag == 77 {
            self.objects += 1;
            self.bytes += size;
            *tag = 99;
            return array_length.is_none();
        }
        true
    }
}

fn heap(env: Env, jni: Jni) -> Outcome {
    let class = jni
        .find_class("java/util/concurrent/Exchanger")
        .map_err(text)?;
    let constructor = jni.method_id(class, "<init>", "()V").map_err(text)?;
    let mut objects = Vec::new();
    for _ in 0..100 {
        objects.push(jni.new_object(class, constructor, &[]).map_err(text)?);
    }
    env.set_tag(class, 77).map_err(text)?;
    ensure!(
        env.tag(class) == Ok(77) && env.tag(objects[0]) == Ok(0),
        "tags"
    );
    let mut counter = Counter {
        objects: 0,
        bytes: 0,
    };
    env.iterate_through_heap(0, std::ptr::null_mut(), &mut counter)
        .map_err(text)?;
    let size = env.object_size(objects[0]).map_err(text)?;
    ensure!(
        counter.objects == 100 && counter.bytes == 100 * size,
        "{} objects",
        counter.objects
    );
    let tagged = env.objects_with_tags(&[99]).map_err(text)?;
    ensure!(tagged.len() == 100, "{} tagged", tagged.len());
    Ok(())
}

fn tables(env: Env, jni: Jni) -> Outcome {
    let table = env.jni_function_table().map_err(text)?;
    // SAFETY: the table is an unchanged copy of the VM's own.
    unsafe { env.set_jni_function_table(table.as_ptr()) }.map_err(text)?;
    // SAFETY: the VM has copied the table, and this is the only reference to it.
    unsafe { env.deallocate(table.as_ptr()) }.map_err(text)?;
    ensure!(
        jni.new_string("still works").is_ok(),
        "JNI after its table was set"
    );
    let string = jni.find_class("java/lang/String").map_err(text)?;
    let base = jni.module(string).map_err(text)?;
    let named = env
        .named_module(std::ptr::null_mut(), "java/lang")
        .map_err(text)?;
    ensure!(
        named.is_some_and(|module| jni.is_same_object(module, base)),
        "module of java/lang"
    );
    Ok(())
}
