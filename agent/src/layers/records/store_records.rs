//! Records of the stores that native code does through JNI: the methods of the helper classes that make them.

use std::sync::OnceLock;

use ducktrack_jvmti::sys::{jclass, jfieldID, jint, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::helper::{copies, native_stores, records};

use crate::core::field_offsets;
use crate::core::vm_facts::VmFacts;
use crate::helper_classes::definition;
use crate::native_code::native_store::NativeStore;

static METHODS: OnceLock<StoreMethods> = OnceLock::new();

/// The methods that record stores of native code.
struct StoreMethods {
    field: Recorder,
    element: Recorder,
    of_class: Recorder,
    filled: Recorder,
}

/// A static method of a helper class.
#[derive(Clone, Copy)]
struct Recorder {
    /// A global reference.
    class: usize,
    method: usize,
}

impl Recorder {
    fn new(jni: Jni, class: jclass, method: HelperMethod) -> Result<Self, Error> {
        Ok(Self {
            class: class.expose_provenance(),
            method: definition::method(jni, class, method)?.expose_provenance(),
        })
    }

    fn call(self, jni: Jni, arguments: &[jvalue]) -> Option<()> {
        let class = std::ptr::with_exposed_provenance_mut(self.class);
        let method: jmethodID = std::ptr::with_exposed_provenance_mut(self.method);
        jni.call_static_void(class, method, arguments).ok()
    }
}

/// Looks the methods up, in classes given as global references.
///
/// # Errors
/// One of them is missing.
pub(crate) fn prepare(
    jni: Jni,
    of_records: jclass,
    of_copies: jclass,
    of_unsafe: jclass,
) -> Result<(), Error> {
    let methods = StoreMethods {
        field: Recorder::new(jni, of_unsafe, native_stores::WILL_STORE)?,
        element: Recorder::new(jni, of_records, records::OF_ELEMENT)?,
        of_class: Recorder::new(jni, of_records, records::FIELD_OF_CLASS)?,
        filled: Recorder::new(jni, of_copies, copies::COPIED)?,
    };
    // The classes are defined once.
    let _ = METHODS.set(methods);
    Ok(())
}

/// Records a store of native code. `None`: it cannot be.
pub(crate) fn record_store(
    jni: Jni,
    facts: &VmFacts,
    store: NativeStore,
    number: impl FnOnce(jclass, jfieldID) -> Option<u32>,
) -> Option<()> {
    let methods = METHODS.get()?;
    match store {
        NativeStore::Field {
            object,
            field,
            value,
        } => {
            let offset = field_offsets::offset_in(facts, field)?;
            let arguments = [
                jvalue { l: object },
                jvalue { j: offset },
                jvalue { l: value },
            ];
            methods.field.call(jni, &arguments)
        }
        NativeStore::Element {
            array,
            index,
            value,
        } => {
            let arguments = [
                jvalue { l: value },
                jvalue { l: array },
                jvalue { i: index },
            ];
            methods.element.call(jni, &arguments)
        }
        NativeStore::Static {
            class,
            field,
            value,
        } => {
            let number = number(class, field)?.cast_signed();
            record_static(jni, methods.of_class, (class, field), value, number)
        }
        NativeStore::Filled { array } => methods.filled.call(jni, &[jvalue { l: array }]),
    }
}

fn record_static(
    jni: Jni,
    recorder: Recorder,
    (class, field): (jclass, jfieldID),
    value: jobject,
    number: jint,
) -> Option<()> {
    let old = jni.static_object_field(class, field);
    let recorded = recorder.call(
        jni,
        &[jvalue { l: value }, jvalue { l: old }, jvalue { i: number }],
    );
    jni.delete_local_ref(old);
    recorded
}
