//! Objects made by native code: the JNI functions that make them, each with a function of ours in its place.
//!
//! | functions | counted |
//! |---|---|
//! | `AllocObject`, `NewObject`, `NewObjectV`, `NewObjectA` | the object, also when its constructor throws |
//! | `NewString`, `NewStringUTF` | the string and its array |
//! | `NewObjectArray`, `New<Primitive>Array` | the array |
//!
//! `NewDirectByteBuffer` calls `NewObject` through the table. Allocations of constructors are counted by their own bytecode.
//!
//! Each calls what stood in the table before (the VM's function or another agent's), and counts what that
//! gave through the helper class, as rewritten code does. Other JNI functions change with `mode=full`
//! only ([`jni_stores`]). An exception that is pending afterwards is the one that was there before.

use std::ffi::c_char;

use ducktrack_jvmti::sys::{
    JNIEnv, JNINativeInterface_, jchar, jclass, jmethodID, jobject, jsize, jvalue,
};

use crate::callbacks::jni_counting::{count, count_constructed, count_string};
use crate::callbacks::jni_replaced::{original, replaced};
use crate::callbacks::jni_stores;
use crate::callbacks::jni_variadic::{self, new_object_v};
use crate::native_code::jni_table::Replacements;
use crate::native_code::native_store::NativeStore;

/// Our functions, for the table.
pub(crate) fn replacements() -> Replacements {
    Replacements {
        put_ours,
        are_ours,
        put_back,
        has_new_object: jni_variadic::new_object().is_some(),
    }
}

fn put_ours(table: &mut JNINativeInterface_) {
    put_all(table);
    if let Some(new_object) = jni_variadic::new_object() {
        table.v1_1.NewObject = new_object;
    }
    jni_stores::put_ours(table);
}

/// Whether all of ours stand in a table.
fn are_ours(table: &JNINativeInterface_) -> bool {
    // SAFETY: every VM has the functions of version 1.1.
    let standing = unsafe { table.v1_1.NewObject };
    let new_object = jni_variadic::new_object();
    new_object.is_none_or(|own| standing as usize == own as *const () as usize)
        && jni_stores::are_ours(table)
        && are_all(table)
}

fn put_back(table: &mut JNINativeInterface_, original: &JNINativeInterface_) {
    put_all_back(table, original);
    // SAFETY: every VM has the functions of version 1.1.
    unsafe { table.v1_1.NewObject = original.v1_1.NewObject };
    jni_stores::put_back(table, original);
}

replaced! {
    AllocObject alloc_object;
    NewObjectV new_object_v;
    NewObjectA new_object_a;
    NewString new_string;
    NewStringUTF new_string_utf;
    NewObjectArray new_object_array;
    NewBooleanArray new_boolean_array;
    NewByteArray new_byte_array;
    NewCharArray new_char_array;
    NewShortArray new_short_array;
    NewIntArray new_int_array;
    NewLongArray new_long_array;
    NewFloatArray new_float_array;
    NewDoubleArray new_double_array;
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
    if !made.is_null() && !initial.is_null() {
        jni_stores::record(env, NativeStore::Filled { array: made });
    }
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
