//! The helper class `java.lang.DuckTrackContexts` in the VM.

use std::sync::OnceLock;

use ducktrack_jvmti::sys::{jclass, jmethodID, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::{contexts, spans};

use crate::contexts::Contexts;
use crate::helper_classes::definition::{self, HelperFile, helper_file, method};

const CONTEXTS: HelperFile = helper_file!("DuckTrackContexts", contexts::LEAVE);
const SPANS: HelperFile = helper_file!("DuckTrackSpans", spans::CLOSING);

struct Abandon {
    class: jclass,
    method: jmethodID,
}

// SAFETY: the class is a global reference and method ids are valid in every thread.
unsafe impl Send for Abandon {}
// SAFETY: no field changes; the VM synchronizes calls through the id itself.
unsafe impl Sync for Abandon {}

static ABANDON: OnceLock<Abandon> = OnceLock::new();

/// Defines the class, unless an earlier run has, and calls every native once: none may be looked for while a virtual thread is mounted.
///
/// # Errors
/// Why there is none: one line.
pub(crate) fn define(jni: Jni) -> Result<(), String> {
    if ABANDON.get().is_some() {
        return Ok(());
    }
    Contexts::prepare().map_err(|error| format!("no memory for contexts: {error}"))?;
    let abandon =
        define_class(jni).map_err(|error| format!("the helper class does not work: {error}"))?;
    let _ = ABANDON.set(abandon);
    Ok(())
}

fn define_class(jni: Jni) -> Result<Abandon, Error> {
    let [class, _] = definition::define(jni, [CONTEXTS, SPANS])?;
    let (number, long, null) = (
        jvalue { i: 0 },
        jvalue { j: 0 },
        jvalue {
            l: std::ptr::null_mut(),
        },
    );
    let none = jvalue { i: -1 };
    let id = |native| method(jni, class, native);
    jni.call_static_int(class, id(contexts::COMBINE)?, &[number, number])?;
    jni.call_static_long(class, id(contexts::LEASE)?, &[number])?;
    jni.call_static_void(class, id(contexts::GIVE_BACK)?, &[number, long])?;
    jni.call_static_void(class, id(contexts::SKIP)?, &[none])?;
    jni.call_static_int(class, id(contexts::PATTERN)?, &[null])?;
    jni.call_static_int(class, id(contexts::NAMED)?, &[null, number])?;
    jni.call_static_void(
        class,
        id(contexts::NEW_LARGEST)?,
        &[number, long, null, null],
    )?;
    jni.call_static_long(class, id(contexts::DEPART)?, &[long; 3])?;
    jni.call_static_long(class, id(contexts::ARRIVE)?, &[long; 4])?;
    Ok(Abandon {
        class,
        method: id(contexts::ABANDON)?,
    })
}

/// The current thread ends: the contexts in which it is end with it.
pub(crate) fn abandon(jni: Jni) {
    if let Some(abandon) = ABANDON.get() {
        // A thread that cannot call Java any more has its contexts open until the end.
        let _ = jni.call_static_void(abandon.class, abandon.method, &[]);
    }
}
