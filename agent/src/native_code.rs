//! Objects that native code allocates, and references that it stores.

pub(crate) mod jni_counting;
pub(crate) mod jni_functions;
pub(crate) mod jni_stores;
pub(crate) mod jni_table;
pub(crate) mod jni_variadic;
pub(crate) mod native_objects;
