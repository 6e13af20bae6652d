//! The helper classes `java.lang.DuckTrackUses` and `java.lang.invoke.DuckTrackHints` in the VM: defined, given their natives, tried.

use ducktrack_hotspot::{Address, Shadow};
use ducktrack_jvmti::sys::{jint, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::fact::UseFact;
use ducktrack_probe_vocabulary::helper::{hints, uses};

use crate::helper_classes::definition::method;

const BYTES: &[u8] = include_bytes!("../../helper/DuckTrackUses.class");
const HINTS_BYTES: &[u8] = include_bytes!("../../helper/DuckTrackHints.class");

/// The methods of the JDK that `DuckTrackHints` calls.
const HINTS: [(&str, &str); 2] = [
    ("profileBoolean", "(Z[I)Z"),
    ("isCompileConstant", "(Ljava/lang/Object;)Z"),
];

/// How often a stamp is tried that is not found: a collection may have moved the object in between.
const TRIES: u32 = 5;

/// The values that the helper's `constant` returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UseConstants {
    pub(crate) distance: usize,
    pub(crate) clock: usize,
    pub(crate) hints: bool,
}

impl UseConstants {
    pub(crate) fn get(self, which: jint) -> i64 {
        match UseFact::of(which) {
            Some(UseFact::Shadow) => self.distance as i64,
            Some(UseFact::Clock) => self.clock as i64,
            Some(UseFact::Hints) => i64::from(self.hints),
            None => 0,
        }
    }
}

/// Defines `DuckTrackHints`, if what it calls is there. Before `DuckTrackUses`.
pub(crate) fn define_hints(jni: Jni) -> bool {
    let Ok(methods) = jni.find_class("java/lang/invoke/MethodHandleImpl") else {
        return false;
    };
    let are_there = HINTS
        .iter()
        .all(|(name, descriptor)| jni.static_method_id(methods, name, descriptor).is_ok());
    jni.delete_local_ref(methods);
    if jni.find_class(hints::CLASS).is_ok() {
        // Another recording has defined them.
        return are_there;
    }
    let define = || -> Result<(), Error> {
        let class = jni.define_class(hints::CLASS, std::ptr::null_mut(), HINTS_BYTES)?;
        // The id of a method makes the VM initialize its class, and so look for its natives.
        method(jni, class, hints::IS_C2)?;
        jni.delete_local_ref(class);
        Ok(())
    };
    are_there && define().is_ok()
}

/// Defines `DuckTrackUses` and stamps one object in each way. The natives answer by then.
///
/// # Errors
/// Why stamps do not work: one sentence.
pub(crate) fn define_and_try(
    jni: Jni,
    shadow: &Shadow,
    clock: impl Fn() -> u64,
    address: impl Fn(jobject) -> Option<Address>,
) -> Result<(), String> {
    let words = |error: Error| format!("the helper class does not work: {error}");
    let class = jni
        .define_class(uses::CLASS, std::ptr::null_mut(), BYTES)
        .map_err(words)?;
    for way in [uses::INSTANCE, uses::NUMBERS, uses::ANY] {
        let id = method(jni, class, way).map_err(words)?;
        let nothing = jvalue {
            l: std::ptr::null_mut(),
        };
        jni.call_static_void(class, id, &[nothing]).map_err(words)?;
        let object = jni.new_byte_array(&[0; 16]).map_err(words)?;
        let mut arrived = false;
        for _ in 0..TRIES {
            jni.call_static_void(class, id, &[jvalue { l: object }])
                .map_err(words)?;
            arrived |= address(object).map(|object| shadow.stamp(object)) == Some(clock());
        }
        jni.delete_local_ref(object);
        if !arrived {
            return Err(format!(
                "a stamp by `{}` did not arrive in the shadow",
                way.name
            ));
        }
    }
    jni.delete_local_ref(class);
    Ok(())
}
