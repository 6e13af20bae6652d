//! The shadows of the heap in which uses are stamped.

pub(crate) mod shadows;
pub(crate) mod use_memory;
pub(crate) mod witness_fields;
pub(crate) mod witness_memory;
