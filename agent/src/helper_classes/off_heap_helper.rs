//! The helper class `java.lang.DuckTrackOffHeap` in the VM, which methods of the JDK tell of memory outside of the heap.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::off_heap;

use crate::helper_classes::definition::{self, HelperFile, helper_file, method};

const OFF_HEAP: HelperFile = helper_file!("DuckTrackOffHeap", off_heap::ASKED);

/// Defines the class, unless an earlier run has, and calls every native
/// once: the VM looks for it at its first call, by Java code that allocates.
pub(crate) fn define(jni: Jni) -> Result<(), Error> {
    if jni.find_class(off_heap::CLASS).is_ok() {
        return Ok(());
    }
    let [class] = definition::define(jni, [OFF_HEAP])?;
    let nothing = [jvalue { j: 0 }, jvalue { j: 0 }];
    for native in [
        off_heap::ASKED,
        off_heap::ALLOCATED,
        off_heap::STARTS,
        off_heap::STARTED,
    ] {
        let native = method(jni, class, native)?;
        jni.call_static_void(class, native, &nothing)?;
    }
    let no_kind = jvalue { i: -1 };
    let made = method(jni, class, off_heap::MADE)?;
    jni.call_static_void(class, made, &[jvalue { j: 0 }, jvalue { j: 0 }, no_kind])?;
    let released = method(jni, class, off_heap::RELEASED)?;
    jni.call_static_void(class, released, &[jvalue { j: 0 }, no_kind])
}
