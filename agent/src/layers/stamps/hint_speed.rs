//! How fast a stamp of an array of references is with the hints of `java.lang.invoke.DuckTrackHints`.

use ducktrack_hotspot::Shadow;
use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::hints;

use crate::helper_classes::definition::method;

/// Picoseconds of a stamp in code of C2; `None`: C2 has not compiled the loop in time, so nothing is known.
///
/// # Errors
/// If the helper class cannot be called.
pub(crate) fn of_stamps(jni: Jni, shadow: &Shadow) -> Result<Option<u64>, Error> {
    let class = jni.find_class(hints::CLASS)?;
    let picoseconds = method(jni, class, hints::PICOSECONDS)?;
    let distance = jvalue {
        j: shadow.distance() as i64,
    };
    let took = jni.call_static_long(class, picoseconds, &[distance])?;
    jni.delete_local_ref(class);
    Ok(u64::try_from(took).ok().filter(|took| *took > 0))
}
