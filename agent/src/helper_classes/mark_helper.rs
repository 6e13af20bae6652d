//! The helper class `java.lang.DuckTrackMark` in the VM, by which a program marks windows of its run.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};

const BYTES: &[u8] = include_bytes!("../helper/DuckTrackMark.class");
const NAME: &str = "java/lang/DuckTrackMark";

/// Defines the class, unless an earlier run has, and calls its native once: the VM looks for it at its first call, by Java code that allocates.
pub(crate) fn define(jni: Jni) -> Result<(), Error> {
    let class = match jni.find_class(NAME) {
        Ok(class) => class,
        Err(_) => jni.define_class(NAME, std::ptr::null_mut(), BYTES)?,
    };
    let begin = jni.static_method_id(class, "begin", "(Ljava/lang/String;)Z")?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_boolean(class, begin, &[nothing])?;
    jni.delete_local_ref(class);
    Ok(())
}
