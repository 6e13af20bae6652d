//! The helper class `java.lang.DuckTrackModules` in the VM: which modules read the unnamed modules because of us.

use ducktrack_jvmti::sys::{jclass, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::modules;

use crate::helper_classes::definition::method;

const BYTES: &[u8] = include_bytes!("../helper/DuckTrackModules.class");

/// `java.base` reads all unnamed modules until [`StandIn::end`]. References are local ones.
pub(crate) struct StandIn {
    helper: jclass,
    reads: jobject,
}

impl StandIn {
    /// Lets `java.base` read all unnamed modules; `None` if it does already.
    pub(crate) fn begin(jni: Jni) -> Result<Option<Self>, Error> {
        let helper = define(jni)?;
        let data = jni.find_class("java/lang/Module$ReflectionData")?;
        let reads = jni.static_field_id(data, "reads", "Ljava/lang/WeakPairMap;")?;
        let reads = jni.static_object_field(data, reads);
        let module = jni.find_class("java/lang/Module")?;
        let all = jni.static_field_id(module, "ALL_UNNAMED_MODULE", "Ljava/lang/Module;")?;
        let all = jni.static_object_field(module, all);
        let begin = method(jni, helper, modules::BEGIN)?;
        let begun =
            jni.call_static_boolean(helper, begin, &[jvalue { l: reads }, jvalue { l: all }])?;
        Ok(begun.then_some(Self { helper, reads }))
    }

    pub(crate) fn end(self, jni: Jni) -> Result<(), Error> {
        let end = method(jni, self.helper, modules::END)?;
        jni.call_static_void(self.helper, end, &[jvalue { l: self.reads }])
    }
}

/// Defines the class, unless an earlier run has, and calls its native once:
/// the VM looks for it at its first call, by Java code that allocates.
fn define(jni: Jni) -> Result<jclass, Error> {
    let class = match jni.find_class(modules::CLASS) {
        Ok(class) => class,
        Err(_) => jni.define_class(modules::CLASS, std::ptr::null_mut(), BYTES)?,
    };
    let withhold = method(jni, class, modules::WITHHOLD)?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_boolean(class, withhold, &[nothing])?;
    Ok(class)
}
