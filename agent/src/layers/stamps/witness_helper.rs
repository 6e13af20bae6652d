//! The helper class `java.lang.DuckTrackWitness` in the VM: defined, given its native, tried.

use std::sync::OnceLock;

use ducktrack_hotspot::{Address, Shadow};
use ducktrack_jvmti::sys::{jclass, jint, jlong, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::fact::WitnessFact;
use ducktrack_probe_vocabulary::helper::witness;

use crate::helper_classes::definition::method;
use crate::layers::stamps::shadows::Shadows;

const BYTES: &[u8] = include_bytes!("../../helper/DuckTrackWitness.class");

/// How often a stamp is tried that is not found: a collection may have moved the object in between.
const TRIES: u32 = 5;

/// The values that the helper's `constant` returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WitnessConstants {
    pub(crate) shadows: Shadows,
    pub(crate) hints: bool,
    /// The table of offsets of fields.
    pub(crate) fields: Address,
}

impl WitnessConstants {
    fn get(self, which: jint) -> i64 {
        match WitnessFact::of(which) {
            Some(WitnessFact::Used) => self.shadows.used.distance() as i64,
            Some(WitnessFact::Lost) => self.shadows.lost.distance() as i64,
            Some(WitnessFact::Hints) => i64::from(self.hints),
            Some(WitnessFact::Fields) => self.fields.0 as i64,
            None => 0,
        }
    }
}

/// The values that the native returns.
static CONSTANTS: OnceLock<WitnessConstants> = OnceLock::new();

/// Defines the class and stamps one object in each way. The position of threads without a block is set.
///
/// # Errors
/// Why stamps do not work: one sentence.
pub(crate) fn define_and_try(
    jni: Jni,
    constants: WitnessConstants,
    address: impl Fn(jobject) -> Option<Address>,
) -> Result<(), String> {
    let constants = CONSTANTS.get_or_init(|| constants);
    let shadows = &constants.shadows;
    let words = |error: Error| format!("the helper class does not work: {error}");
    let class = jni
        .define_class(witness::CLASS, std::ptr::null_mut(), BYTES)
        .map_err(words)?;
    let ways = [
        (witness::INSTANCE, &shadows.used),
        (witness::NUMBERS, &shadows.used),
        (witness::ANY, &shadows.used),
        (witness::LOST, &shadows.lost),
    ];
    for (way, shadow) in ways {
        let is_stamped = try_stamp(jni, class, way, shadow, &address).map_err(words)?;
        if !is_stamped {
            return Err(format!(
                "a stamp by `{}` did not arrive in the shadow",
                way.name
            ));
        }
    }
    // The VM looks for a native at its first call, by Java code that allocates: that must be over before any code is stamped.
    let find = method(jni, class, witness::FIND).map_err(words)?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_long(class, find, &[nothing, jvalue { i: 0 }])
        .map_err(words)?;
    jni.delete_local_ref(class);
    Ok(())
}

/// Whether a new object has a stamp after the call.
fn try_stamp(
    jni: Jni,
    class: jclass,
    way: HelperMethod,
    shadow: &Shadow,
    address: &impl Fn(jobject) -> Option<Address>,
) -> Result<bool, Error> {
    let id = method(jni, class, way)?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_void(class, id, &[nothing])?;
    let object = jni.new_byte_array(&[0; 16])?;
    let mut is_stamped = false;
    for _ in 0..TRIES {
        jni.call_static_void(class, id, &[jvalue { l: object }])?;
        is_stamped |= address(object).is_some_and(|object| shadow.stamp(object) != 0);
    }
    jni.delete_local_ref(object);
    Ok(is_stamped)
}

/// The answer of `DuckTrackWitness.constant`.
pub(crate) fn constant(which: jint) -> jlong {
    CONSTANTS.get().map_or(0, |constants| constants.get(which))
}
