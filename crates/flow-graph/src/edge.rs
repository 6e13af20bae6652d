//! Edges: how control passes from one block to the next without an exception.

use ducktrack_classfile::{CodeOffset, Opcode};

use crate::index::BlockId;

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

/// What the opcode of a branch suggests, after T. Ball and J. R. Larus, "Branch prediction for free"
/// (PLDI 1993): references are rarely null or equal, numbers are rarely negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Expectation {
    /// The opcode gives no hint.
    #[default]
    None,
    /// The edge is probably taken.
    Likely,
    /// The edge is probably not taken.
    Unlikely,
}

/// An edge between two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub(crate) from: BlockId,
    pub(crate) to: BlockId,
    pub(crate) kind: EdgeKind,
    pub(crate) expectation: Expectation,
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

    /// What the opcode suggests.
    pub fn expectation(&self) -> Expectation {
        self.expectation
    }
}

impl Expectation {
    /// The expectation for the taken branch of a conditional opcode.
    pub(crate) fn of_taken(opcode: Opcode) -> Self {
        match opcode {
            Opcode::IFNULL | Opcode::IF_ACMPEQ | Opcode::IFLT => Self::Unlikely,
            Opcode::IFNONNULL | Opcode::IF_ACMPNE | Opcode::IFGE => Self::Likely,
            _ => Self::None,
        }
    }

    /// The expectation for the other branch.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Likely => Self::Unlikely,
            Self::Unlikely => Self::Likely,
        }
    }
}
