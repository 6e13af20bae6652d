//! The helper class `java.lang.DuckTrackWitness` in the VM: defined, given its native, tried.

use std::sync::OnceLock;

use ducktrack_hotspot::{Address, Shadow};
use ducktrack_jvmti::sys::{jclass, jint, jlong, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

use crate::witness::shadows::Shadows;

const BYTES: &[u8] = include_bytes!("../helper/DuckTrackWitness.class");
const NAME: &str = "java/lang/DuckTrackWitness";

/// How often a stamp is tried that is not found: a collection may have moved the object in between.
const TRIES: u32 = 5;

/// What the helper's constants are, in the order of its `constant(n)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WitnessConstants {
    pub(crate) shadows: Shadows,
    pub(crate) hints: bool,
    /// The table of offsets of fields.
    pub(crate) fields: Address,
}

impl WitnessConstants {
    fn get(self, which: jint) -> i64 {
        match which {
            0 => self.shadows.used.distance() as i64,
            1 => self.shadows.lost.distance() as i64,
            2 => i64::from(self.hints),
            3 => self.fields.0 as i64,
            _ => 0,
        }
    }
}

/// What the native answers.
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
        .define_class(NAME, std::ptr::null_mut(), BYTES)
        .map_err(words)?;
    let ways = [
        ("instance", &shadows.used),
        ("numbers", &shadows.used),
        ("any", &shadows.used),
        ("lost", &shadows.lost),
    ];
    for (name, shadow) in ways {
        let is_stamped = try_stamp(jni, class, name, shadow, &address).map_err(words)?;
        if !is_stamped {
            return Err(format!("a stamp by `{name}` did not arrive in the shadow"));
        }
    }
    // The VM looks for a native at its first call, by Java code that allocates: that must be over before any code is stamped.
    let find = jni
        .static_method_id(class, "find", "(Ljava/lang/Object;I)J")
        .map_err(words)?;
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
    name: &str,
    shadow: &Shadow,
    address: &impl Fn(jobject) -> Option<Address>,
) -> Result<bool, Error> {
    let method = jni.static_method_id(class, name, "(Ljava/lang/Object;)V")?;
    let nothing = jvalue {
        l: std::ptr::null_mut(),
    };
    jni.call_static_void(class, method, &[nothing])?;
    let object = jni.new_byte_array(&[0; 16])?;
    let mut is_stamped = false;
    for _ in 0..TRIES {
        jni.call_static_void(class, method, &[jvalue { l: object }])?;
        is_stamped |= address(object).is_some_and(|object| shadow.stamp(object) != 0);
    }
    jni.delete_local_ref(object);
    Ok(is_stamped)
}

/// What `DuckTrackWitness.constant` answers.
pub(crate) fn constant(which: jint) -> jlong {
    CONSTANTS.get().map_or(0, |constants| constants.get(which))
}
