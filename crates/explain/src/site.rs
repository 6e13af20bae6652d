//! An allocation site of a method.

use ducktrack_classfile::CodeOffset;

/// An instruction that allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its instruction.
    pub offset: CodeOffset,
    /// The operation, as text: `new java.util.ArrayList`.
    pub what: String,
}
