//! References that native code stores: the JNI functions that do so, each replaced by a function of ours that records the update before the
//! store (`mode=full`).
//!
//! | function | record |
//! |---|---|
//! | `SetObjectField` | update of the field |
//! | `SetObjectArrayElement` | update of the element, if it is there and may have the target |
//! | `SetStaticObjectField` | update of the static field |
//! | `NewObjectArray` with a first target | update of each element of the new array, after it |

use ducktrack_jvmti::sys::{JNIEnv, JNINativeInterface_, jclass, jfieldID, jobject, jsize};

use crate::entry::native_with_jni;
use crate::native_code::native_store::{NativeStore, are_stores_wanted, store_recorder};

pub(super) fn put_ours(table: &mut JNINativeInterface_) {
    if are_stores_wanted() {
        // SAFETY: every VM has the functions of version 1.1.
        let functions = unsafe { &mut table.v1_1 };
        functions.SetObjectField = set_object_field;
        functions.SetObjectArrayElement = set_object_array_element;
        functions.SetStaticObjectField = set_static_object_field;
    }
}

/// Whether none of another agent stands over ours.
pub(super) fn are_ours(table: &JNINativeInterface_) -> bool {
    // SAFETY: every VM has the functions of version 1.1.
    let functions = unsafe { &table.v1_1 };
    !are_stores_wanted()
        || functions.SetObjectField as usize == set_object_field as *const () as usize
            && functions.SetObjectArrayElement as usize
                == set_object_array_element as *const () as usize
            && functions.SetStaticObjectField as usize
                == set_static_object_field as *const () as usize
}

pub(super) fn put_back(table: &mut JNINativeInterface_, original: &JNINativeInterface_) {
    // SAFETY: every VM has the functions of version 1.1.
    let (functions, original) = unsafe { (&mut table.v1_1, &original.v1_1) };
    functions.SetObjectField = original.SetObjectField;
    functions.SetObjectArrayElement = original.SetObjectArrayElement;
    functions.SetStaticObjectField = original.SetStaticObjectField;
}

/// Records a store of native code.
pub(super) fn record(env: *mut JNIEnv, store: NativeStore) {
    native_with_jni(env, (), |agent, jni, _| {
        if agent.core.is_counting()
            && let Some(recorder) = store_recorder()
        {
            recorder.stored(&agent.core, jni, store);
        }
    });
}

/// Calls a function of the original table that gives nothing.
macro_rules! original {
    ($name:ident($env:expr $(, $argument:expr)*)) => {
        if let Some(functions) = crate::native_code::jni_table::JniFunctions::get() {
            // SAFETY: the caller's arguments are passed on to the function that the caller meant.
            unsafe { (functions.original().v1_1.$name)($env $(, $argument)*) }
        }
    };
}

unsafe extern "system" fn set_object_field(
    env: *mut JNIEnv,
    object: jobject,
    field: jfieldID,
    value: jobject,
) {
    let store = NativeStore::Field {
        object,
        field,
        value,
    };
    record(env, store);
    original!(SetObjectField(env, object, field, value));
}

unsafe extern "system" fn set_object_array_element(
    env: *mut JNIEnv,
    array: jobject,
    index: jsize,
    value: jobject,
) {
    let store = NativeStore::Element {
        array,
        index,
        value,
    };
    record(env, store);
    original!(SetObjectArrayElement(env, array, index, value));
}

unsafe extern "system" fn set_static_object_field(
    env: *mut JNIEnv,
    class: jclass,
    field: jfieldID,
    value: jobject,
) {
    let store = NativeStore::Static {
        class,
        field,
        value,
    };
    record(env, store);
    original!(SetStaticObjectField(env, class, field, value));
}
