//! Edges: how control passes from one block to the next without an exception.

use ducktrack_classfile::{CodeOffset, Opcode};

use ducktrack_path_counters::{BlockId, Hint};

/// Why control takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// ENTRY to the first block: the method is called.
    Entry,
    /// The last instruction completes and the next one is executed.
    FallThrough,
    /// The branch at this offset is taken: `if*`, `goto*`, `jsr*`.
    Branch(CodeOffset),
    /// The switch at this offset selects the target block, by one or more of its cases or by its
    /// default. There is one edge for each distinct target of a switch.
    Switch(CodeOffset),
    /// A return instruction to EXIT.
    Return,
}

/// An edge between two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub(crate) from: BlockId,
    pub(crate) to: BlockId,
    pub(crate) kind: EdgeKind,
    pub(crate) hint: Hint,
}

impl Edge {
    /// The block it leaves.
    pub fn from(&self) -> BlockId {
        self.from
    }

    /// The block it enters.
    pub fn to(&self) -> BlockId {
        self.to
    }

    /// Why control takes it.
    pub fn kind(&self) -> EdgeKind {
        self.kind
    }

    /// The hint of the opcode.
    pub fn hint(&self) -> Hint {
        self.hint
    }
}

/// The hint of a conditional branch's opcode about its target, after T. Ball and J. R. Larus, "Branch prediction for free"
/// (PLDI 1993): references are rarely null or equal, numbers are rarely negative.
pub(crate) fn hint_of_taken(opcode: Opcode) -> Hint {
    match opcode {
        Opcode::IFNULL | Opcode::IF_ACMPEQ | Opcode::IFLT => Hint::Unlikely,
        Opcode::IFNONNULL | Opcode::IF_ACMPNE | Opcode::IFGE => Hint::Likely,
        _ => Hint::None,
    }
}

/// The hint for the other branch.
pub(crate) fn opposite(hint: Hint) -> Hint {
    match hint {
        Hint::None => Hint::None,
        Hint::Likely => Hint::Unlikely,
        Hint::Unlikely => Hint::Likely,
    }
}
