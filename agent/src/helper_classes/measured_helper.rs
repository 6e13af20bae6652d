//! The helper class `java.lang.DuckTrackMeasured` in the VM, by which a program measures pieces of its own run.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::measured;

use crate::helper_classes::definition::{self, HelperFile, helper_file, method};

const MEASURED: HelperFile = helper_file!("DuckTrackMeasured", measured::MOUNT);

/// Defines the class, unless an earlier run has, and calls every native
/// once: the VM looks for it at its first call, by Java code that allocates.
pub(crate) fn define(jni: Jni) -> Result<(), Error> {
    if jni.find_class(measured::CLASS).is_ok() {
        return Ok(());
    }
    let [class] = definition::define(jni, [MEASURED])?;
    let zero = jvalue { j: 0 };
    let begin = method(jni, class, measured::BEGIN)?;
    jni.call_static_int(class, begin, &[zero, zero, jvalue { z: false }])?;
    let end = method(jni, class, measured::END)?;
    let rows = jni.call_static_object(class, end, &[zero, zero])?;
    jni.delete_local_ref(rows);
    for native in [measured::PAUSE, measured::RESUME] {
        let native = method(jni, class, native)?;
        jni.call_static_void(class, native, &[zero, zero])?;
    }
    Ok(())
}
