//! References that native code stores, and who is told.

use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jfieldID, jobject, jsize};
use parking_lot::RwLock;

use crate::core::Core;

/// A reference that native code is about to store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NativeStore {
    /// Into a field of an object.
    Field {
        object: jobject,
        field: jfieldID,
        value: jobject,
    },
    /// Into an element of an array.
    Element {
        array: jobject,
        index: jsize,
        value: jobject,
    },
    /// Into a static field.
    Static {
        class: jclass,
        field: jfieldID,
        value: jobject,
    },
    /// Into every element of an array that it has just made.
    Filled { array: jobject },
}

/// Records stores.
pub(crate) trait StoreRecorder: Sync {
    /// Native code is about to store a reference.
    fn stored(&self, core: &Core, jni: Jni, store: NativeStore);
}

static RECORDER: RwLock<Option<&'static dyn StoreRecorder>> = RwLock::new(None);
/// Whether functions that store references are put into the table with the others. Once they are there they pass on what is not recorded.
static ARE_WANTED: AtomicBool = AtomicBool::new(false);

/// From now on stores are recorded. Functions that store references are put into the table with the others.
pub(crate) fn record_stores(recorder: &'static dyn StoreRecorder) {
    *RECORDER.write() = Some(recorder);
    ARE_WANTED.store(true, Ordering::Release);
}

/// From now on stores are not recorded.
pub(crate) fn record_no_stores() {
    *RECORDER.write() = None;
}

pub(crate) fn are_stores_wanted() -> bool {
    ARE_WANTED.load(Ordering::Acquire)
}

/// Who records stores.
pub(crate) fn store_recorder() -> Option<&'static dyn StoreRecorder> {
    *RECORDER.read()
}
