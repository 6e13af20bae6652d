//! Objects allocated by native code.

pub(crate) mod jni_counting;
pub(crate) mod jni_functions;
pub(crate) mod jni_table;
pub(crate) mod jni_variadic;
pub(crate) mod native_objects;
