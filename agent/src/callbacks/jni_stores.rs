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

use crate::callbacks::jni_replaced::{original, replaced};
use crate::entry::native_with_jni;
use crate::native_code::native_store::{NativeStore, are_stores_wanted, store_recorder};

replaced! {
    SetObjectField set_object_field;
    SetObjectArrayElement set_object_array_element;
    SetStaticObjectField set_static_object_field;
}

pub(super) fn put_ours(table: &mut JNINativeInterface_) {
    if are_stores_wanted() {
        put_all(table);
    }
}

/// Whether none of another agent stands over ours.
pub(super) fn are_ours(table: &JNINativeInterface_) -> bool {
    !are_stores_wanted() || are_all(table)
}

pub(super) fn put_back(table: &mut JNINativeInterface_, original: &JNINativeInterface_) {
    put_all_back(table, original);
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
