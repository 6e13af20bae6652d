//! The helper classes that a program calls in every mode: `java.lang.DuckTrackMark`
//! marks windows of its run, `java.lang.DuckTrackControl` commands the recording.

use ducktrack_jvmti::sys::{jclass, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::{control, mark};

use crate::helper_classes::definition::method;

const MARK: &[u8] = include_bytes!("../helper/DuckTrackMark.class");
const CONTROL: &[u8] = include_bytes!("../helper/DuckTrackControl.class");
const NOTHING: jvalue = jvalue {
    l: std::ptr::null_mut(),
};

/// Defines the classes, unless an earlier run has, and calls the native of each
/// once: the VM looks for it at its first call, by Java code that allocates.
pub(crate) fn define(jni: Jni) -> Result<(), Error> {
    let class = find_or_define(jni, mark::CLASS, MARK)?;
    let begin = method(jni, class, mark::BEGIN)?;
    jni.call_static_boolean(class, begin, &[NOTHING])?;
    jni.delete_local_ref(class);
    let class = find_or_define(jni, control::CLASS, CONTROL)?;
    let ask = method(jni, class, control::ASK)?;
    jni.call_static_object(class, ask, &[NOTHING])?;
    jni.delete_local_ref(class);
    Ok(())
}

fn find_or_define(jni: Jni, name: &str, bytes: &[u8]) -> Result<jclass, Error> {
    jni.find_class(name)
        .or_else(|_| jni.define_class(name, std::ptr::null_mut(), bytes))
}
