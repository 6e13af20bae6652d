//! The helper class `java.lang.DuckTrackMark` in the VM, by which a program marks windows of its run.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::mark;

use crate::helper_classes::definition::method;

const BYTES: &[u8] = include_bytes!("../helper/DuckTrackMark.class");

/// Defines the class, unless an earlier run has, and calls its native once: the VM looks for it at its first call, by Java code that allocates.
pub(crate) fn define(jni: Jni) -> Result<(), Error> {
    let class = match jni.find_class(mark::CLASS) {
        Ok(class) => class,
        Err(_) => jni.define_class(mark::CLASS, std::ptr::null_mut(), BYTES)?,
    };
    let begin = method(jni, class, mark::BEGIN)?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_boolean(class, begin, &[nothing])?;
    jni.delete_local_ref(class);
    Ok(())
}
