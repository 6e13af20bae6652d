//! The shadows of the heap in which uses are stamped, and the clock of records.

pub(crate) mod record_clock;
pub(crate) mod shadows;
pub(crate) mod static_numbers;
pub(crate) mod use_memory;
pub(crate) mod witness_fields;
pub(crate) mod witness_memory;
