//! Objects made by native code: the JNI functions that make them, each with a function of ours in its place.
//!
//! | functions | counted |
//! |---|---|
//! | `AllocObject`, `NewObject`, `NewObjectV`, `NewObjectA` | the object, also when its constructor throws |
//! | `NewString`, `NewStringUTF` | the string and its array |
//! | `NewObjectArray`, `New<Primitive>Array` | the array |
//!
//! `NewDirectByteBuffer` calls `NewObject` through the table. What constructors allocate is counted by their own bytecode.
//!
//! Each calls what stood in the table before (the VM's function or another agent's), and counts what that gave through the helper class, as
//! rewritten code does. No other JNI function changes. An exception that is pending afterwards is the one that was there before.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use ducktrack_jvmti::sys::{
    JNIEnv, JNINativeInterface_, jchar, jclass, jfieldID, jmethodID, jobject, jsize, jvalue,
    va_list,
};
use ducktrack_jvmti::{Error, Jni, class_status};

use crate::agent::Agent;
use crate::native_sites::COUNTED_BY_CALLERS;
use crate::{callbacks, jni_variadic};

const ACC_INTERFACE: i32 = 0x0200;
const ACC_ABSTRACT: i32 = 0x0400;

/// What stood in the table before, and what strings are made of.
pub(crate) struct JniFunctions {
    /// A copy that the VM made for us; never given back.
    original: &'static JNINativeInterface_,
    /// `String.value`.
    string_value: Option<jfieldID>,
}

// SAFETY: the table is only read, and field ids are valid in every thread.
unsafe impl Send for JniFunctions {}
// SAFETY: as above.
unsafe impl Sync for JniFunctions {}

/// Copies the table, which has as many functions as the VM's version of JNI, and puts ours in.
pub(crate) fn install(agent: &'static Agent, jni: Jni) -> Result<(), Error> {
    let original = agent.env.jni_function_table()?;
    let changed = agent.env.jni_function_table()?;
    // SAFETY: the VM allocated and filled it, and it is never given back.
    let original = unsafe { original.as_ref() };
    agent.set_jni_functions(JniFunctions {
        original,
        string_value: string_value(jni),
    });
    // SAFETY: the VM allocated and filled it; nobody else has it.
    put_ours(unsafe { &mut *changed.as_ptr() });
    // SAFETY: all functions are the VM's own, or ours: they call the VM's own and do not unwind.
    let result = unsafe { agent.env.set_jni_function_table(changed.as_ptr()) };
    // SAFETY: the VM allocated it and has copied it.
    let given_back = unsafe { agent.env.deallocate(changed.as_ptr()) };
    result.and(given_back)
}

fn string_value(jni: Jni) -> Option<jfieldID> {
    let class = jni.find_class("java/lang/String").ok()?;
    let field = jni.field_id(class, "value", "[B").ok();
    jni.delete_local_ref(class);
    field
}

fn put_ours(table: &mut JNINativeInterface_) {
    // SAFETY: every VM has the functions of version 1.1.
    let functions = unsafe { &mut table.v1_1 };
    functions.AllocObject = alloc_object;
    if let Some(new_object) = jni_variadic::new_object() {
        functions.NewObject = new_object;
    }
    functions.NewObjectV = new_object_v;
    functions.NewObjectA = new_object_a;
    functions.NewString = new_string;
    functions.NewStringUTF = new_string_utf;
    functions.NewObjectArray = new_object_array;
    functions.NewBooleanArray = new_boolean_array;
    functions.NewByteArray = new_byte_array;
    functions.NewCharArray = new_char_array;
    functions.NewShortArray = new_short_array;
    functions.NewIntArray = new_int_array;
    functions.NewLongArray = new_long_array;
    functions.NewFloatArray = new_float_array;
    functions.NewDoubleArray = new_double_array;
}

/// Calls a function of the original table.
macro_rules! original {
    ($name:ident($env:expr $(, $argument:expr)*)) => {
        match callbacks::agent().and_then(Agent::jni_functions) {
            // SAFETY: the caller's arguments are passed on to the function that the caller meant.
            Some(functions) => unsafe { (functions.original.v1_1.$name)($env $(, $argument)*) },
            // Never: the original is kept before ours is put in.
            None => null_mut(),
        }
    };
}

/// Functions that make an array of primitives.
macro_rules! primitive_arrays {
    ($($own:ident $name:ident;)*) => {$(
        unsafe extern "system" fn $own(env: *mut JNIEnv, length: jsize) -> jobject {
            let made = original!($name(env, length));
            count(env, made, stringify!($name));
            made
        }
    )*};
}

primitive_arrays! {
    new_boolean_array NewBooleanArray;
    new_byte_array NewByteArray;
    new_char_array NewCharArray;
    new_short_array NewShortArray;
    new_int_array NewIntArray;
    new_long_array NewLongArray;
    new_float_array NewFloatArray;
    new_double_array NewDoubleArray;
}

unsafe extern "system" fn new_object_array(
    env: *mut JNIEnv,
    length: jsize,
    class: jclass,
    initial: jobject,
) -> jobject {
    let made = original!(NewObjectArray(env, length, class, initial));
    count(env, made, "NewObjectArray");
    made
}

unsafe extern "system" fn alloc_object(env: *mut JNIEnv, class: jclass) -> jobject {
    let made = original!(AllocObject(env, class));
    count(env, made, "AllocObject");
    made
}

unsafe extern "system" fn new_object_a(
    env: *mut JNIEnv,
    class: jclass,
    constructor: jmethodID,
    arguments: *const jvalue,
) -> jobject {
    let made = original!(NewObjectA(env, class, constructor, arguments));
    count_constructed(env, made, class, "NewObject");
    made
}

/// Also called for `NewObject`, by [`jni_variadic`].
pub(crate) unsafe extern "system" fn new_object_v(
    env: *mut JNIEnv,
    class: jclass,
    constructor: jmethodID,
    arguments: va_list,
) -> jobject {
    let made = original!(NewObjectV(env, class, constructor, arguments));
    count_constructed(env, made, class, "NewObject");
    made
}

unsafe extern "system" fn new_string(
    env: *mut JNIEnv,
    text: *const jchar,
    length: jsize,
) -> jobject {
    let made = original!(NewString(env, text, length));
    count_string(env, made, "NewString");
    made
}

unsafe extern "system" fn new_string_utf(env: *mut JNIEnv, text: *const c_char) -> jobject {
    let made = original!(NewStringUTF(env, text));
    count_string(env, made, "NewStringUTF");
    made
}

fn count(env: *mut JNIEnv, made: jobject, function: &'static str) {
    if !made.is_null() {
        counting(env, |agent, jni, _| agent.count_native(jni, made, function));
    }
}

fn count_string(env: *mut JNIEnv, made: jobject, function: &'static str) {
    if !made.is_null() {
        counting(env, |agent, jni, _| {
            agent.count_native_string(jni, made, function)
        });
    }
}

fn count_constructed(env: *mut JNIEnv, made: jobject, class: jclass, function: &'static str) {
    counting(env, |agent, jni, thrown| match thrown {
        Some(exception) if made.is_null() => {
            agent.count_unfinished(jni, class, exception, function)
        }
        _ if made.is_null() => {}
        _ => agent.count_native(jni, made, function),
    });
}

/// Runs `body` without the exception that the function left, or that native code did not care for; it is pending again afterwards.
fn counting(env: *mut JNIEnv, body: impl FnOnce(&'static Agent, Jni, Option<jobject>)) {
    callbacks::native((), |agent| {
        if !agent.is_counting() {
            return;
        }
        // SAFETY: the caller of a JNI function passes the environment of the current thread.
        let Some(jni) = (unsafe { Jni::from_raw(env) }) else {
            return;
        };
        let pending = jni.take_exception();
        body(agent, jni, pending);
        if let Some(exception) = pending {
            // It was pending a moment ago, so it can be again.
            let _ = jni.throw(exception);
            jni.delete_local_ref(exception);
        }
    });
}

impl Agent {
    fn count_native(&self, jni: Jni, made: jobject, function: &'static str) {
        self.note_uncounted(self.native_site(jni, function).and_then(|site| match site {
            COUNTED_BY_CALLERS => Some(()),
            site => self.count_object(jni, made, site),
        }));
    }

    fn count_object(&self, jni: Jni, made: jobject, site: u32) -> Option<()> {
        match self.event_helper() {
            Some(events) => events.object(jni, made, site).ok(),
            None => self.helper()?.count_object(jni, made, site).ok(),
        }
    }

    fn count_string(&self, jni: Jni, made: jobject, value: jobject, site: u32) -> Option<()> {
        if let Some(events) = self.event_helper() {
            return events.string(jni, made, value, site).ok();
        }
        let helper = self.helper()?;
        helper.count_object(jni, made, site).ok()?;
        helper.count_object(jni, value, site).ok()
    }

    fn count_native_string(&self, jni: Jni, made: jobject, function: &'static str) {
        let count = |site: u32| {
            let value = jni.object_field(made, self.jni_functions()?.string_value?);
            let counted = self.count_string(jni, made, value, site);
            jni.delete_local_ref(value);
            counted
        };
        self.note_uncounted(self.native_site(jni, function).and_then(count));
    }

    /// `NewObject` gave null: either there is no object, or there was one and its constructor threw.
    fn count_unfinished(
        &self,
        jni: Jni,
        class: jclass,
        exception: jobject,
        function: &'static str,
    ) {
        if !self.was_made(jni, class, exception) {
            return;
        }
        let count = |site: u32| {
            let helper = self.helper()?;
            let bytes = self
                .facts()?
                .instance_bytes(helper.klass_of(jni, class).ok()?)?;
            match self.event_helper() {
                Some(events) => events.gone(jni, class, bytes, site).ok(),
                None => helper.count_instance(jni, class, bytes, site).ok(),
            }
        };
        self.note_uncounted(self.native_site(jni, function).and_then(count));
    }

    /// No object is made of an abstract class, of one whose initialization failed, and without memory.
    fn was_made(&self, jni: Jni, class: jclass, exception: jobject) -> bool {
        let concrete = self
            .env
            .class_modifiers(class)
            .is_ok_and(|flags| flags & (ACC_ABSTRACT | ACC_INTERFACE) == 0);
        let status = self.env.class_status(class).unwrap_or(0);
        let usable = status & class_status::PREPARED != 0 && status & class_status::ERROR == 0;
        let Ok(thrown) = jni.object_class(exception) else {
            return false;
        };
        let no_memory = self
            .env
            .class_signature(thrown)
            .is_ok_and(|name| name == b"Ljava/lang/OutOfMemoryError;");
        jni.delete_local_ref(thrown);
        concrete && usable && !no_memory
    }

    fn note_uncounted(&self, counted: Option<()>) {
        if counted.is_none() {
            self.uncounted_native.fetch_add(1, Ordering::Relaxed);
        }
    }
}
