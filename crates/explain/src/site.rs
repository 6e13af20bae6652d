//! A place in a method that allocates.

use ducktrack_classfile::CodeOffset;

/// Something in the code that allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its instruction.
    pub offset: CodeOffset,
    /// What it does, for people: `new java.util.ArrayList`.
    pub what: String,
}
