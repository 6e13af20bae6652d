//! A basic block: instructions that are entered at the first and left after the last.
//!
//! Blocks end at branches, switches, returns and `athrow`, and before branch targets and handler
//! entries. They do not end at instructions that may throw: an exception can leave a block in the
//! middle, and the counting code must know what is owed there.

use std::ops::Range;

use ducktrack_classfile::CodeOffset;

/// A block of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) first: CodeOffset,
    pub(crate) last: CodeOffset,
    pub(crate) end: CodeOffset,
    pub(crate) instructions: Range<usize>,
    pub(crate) handler_of: Vec<usize>,
}

impl Block {
    /// The offset of its first instruction.
    pub fn first(&self) -> CodeOffset {
        self.first
    }

    /// The offset of its last instruction.
    pub fn last(&self) -> CodeOffset {
        self.last
    }

    /// The offset after its last instruction.
    pub fn end(&self) -> CodeOffset {
        self.end
    }

    /// Indices of its instructions in the method's list of instructions.
    pub fn instruction_range(&self) -> Range<usize> {
        self.instructions.clone()
    }

    /// Indices of the exception table entries whose handler begins here; empty for most blocks.
    pub fn handler_of(&self) -> &[usize] {
        &self.handler_of
    }

    /// Whether it begins with an exception handler.
    pub fn is_handler_entry(&self) -> bool {
        !self.handler_of.is_empty()
    }
}
