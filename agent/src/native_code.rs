//! Objects that native code allocates, and the VM's table of the functions by which it does.

pub(crate) mod jni_table;
pub(crate) mod native_objects;
pub(crate) mod native_store;
