//! How helper classes come into the VM: all of a group are defined before one of them is initialized, because they name each other.

use ducktrack_jvmti::sys::{jclass, jmethodID};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::HelperMethod;

/// A helper class.
#[derive(Clone, Copy)]
pub(crate) struct HelperFile {
    /// One of its methods. Its id makes the VM initialize the class.
    pub(crate) initialized_by: HelperMethod,
    pub(crate) bytes: &'static [u8],
}

/// Defines classes in the boot loader and initializes them, in this order. They are global references.
pub(crate) fn define<const N: usize>(
    jni: Jni,
    files: [HelperFile; N],
) -> Result<[jclass; N], Error> {
    let mut classes = [std::ptr::null_mut(); N];
    for (class, file) in classes.iter_mut().zip(&files) {
        let name = file.initialized_by.class;
        let local = jni.define_class(name, std::ptr::null_mut(), file.bytes)?;
        *class = jni.new_global_ref(local)?;
        jni.delete_local_ref(local);
    }
    for (class, file) in classes.iter().zip(&files) {
        method(jni, *class, file.initialized_by)?;
    }
    Ok(classes)
}

/// The id of a method.
pub(crate) fn method(jni: Jni, class: jclass, method: HelperMethod) -> Result<jmethodID, Error> {
    jni.static_method_id(class, method.name, method.descriptor)
}

/// The file of a class.
macro_rules! helper_file {
    ($name:literal, $initialized_by:expr) => {
        $crate::helper_classes::definition::HelperFile {
            initialized_by: $initialized_by,
            bytes: include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/helper/",
                $name,
                ".class"
            )),
        }
    };
}

pub(crate) use helper_file;
