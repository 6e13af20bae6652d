//! The fields of a class that may hold references.

use ducktrack_jvmti::sys::{jclass, jfieldID};
use ducktrack_jvmti::{Env, Error, Jni};
use ducktrack_trace_format::may_lose_references;

const STATIC: i32 = 0x0008;
const FINAL: i32 = 0x0010;

/// A field of objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceField {
    pub(super) id: jfieldID,
    pub(super) is_final: bool,
}

/// The reference fields of a class's objects that may be set to null, those of its superclasses included.
pub(super) fn reference_fields(
    env: Env,
    jni: Jni,
    class: jclass,
) -> Result<Vec<ReferenceField>, Error> {
    let mut fields = Vec::new();
    let mut next = Some(class);
    while let Some(class) = next {
        let signature = env.class_signature(class)?;
        if !may_lose_references(&String::from_utf8_lossy(&signature)) {
            // Its superclasses are of the JDK as well.
            break;
        }
        for id in env.class_fields(class)?.iter().copied() {
            let modifiers = env.field_modifiers(class, id)?;
            let descriptor = env.field_name(class, id)?.descriptor;
            if modifiers & STATIC == 0 && matches!(descriptor.first(), Some(b'L' | b'[')) {
                fields.push(ReferenceField {
                    id,
                    is_final: modifiers & FINAL != 0,
                });
            }
        }
        next = jni.superclass(class);
    }
    Ok(fields)
}
