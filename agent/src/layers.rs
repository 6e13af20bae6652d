//! What a recording of events may have in addition: each layer is one type with its own helper classes, memory and blocks of the trace.

pub(crate) mod records;
pub(crate) mod roots;
pub(crate) mod stamps;
pub(crate) mod uses;
