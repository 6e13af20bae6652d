//! The VM's tables: where libjvm is, which fields its structures have, its flags, and values that stand in single words.

pub(crate) mod collection_cause;
pub(crate) mod collector;
pub(crate) mod dump_at_exhaustion;
pub(crate) mod jvm_flags;
pub(crate) mod jvmci_slot;
pub(crate) mod libjvm;
pub(crate) mod thread_layout;
pub(crate) mod vm_structs;
pub(crate) mod zgc_tables;
