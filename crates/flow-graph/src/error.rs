//! Why no flow graph can be built for some bytecode.

use ducktrack_classfile::CodeOffset;

/// A rule of the JVM specification (4.9) that the bytecode breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytecode could not be decoded.
    #[error(transparent)]
    Code(#[from] ducktrack_classfile::Error),
    /// A branch leads into the middle of an instruction.
    #[error("the branch at {from} leads to {target}, where no instruction starts")]
    BranchIntoInstruction {
        /// The branch or switch.
        from: CodeOffset,
        /// Its target.
        target: CodeOffset,
    },
    /// The last instruction would continue with a next one.
    #[error("control falls off the end of the code after {last}")]
    FallsOffTheEnd {
        /// The last instruction.
        last: CodeOffset,
    },
    /// An exception table entry names an offset where no instruction starts.
    #[error(
        "entry {entry} of the exception table names offset {offset}, where no instruction starts"
    )]
    BadExceptionEntry {
        /// Index of the entry in the table.
        entry: usize,
        /// The offset.
        offset: CodeOffset,
    },
}
