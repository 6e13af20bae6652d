//! Typed indices of blocks and edges, printed as `block3` and `edge7`.

use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The index with the given number.
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number, to index a table with.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number as stored.
            pub const fn as_u32(self) -> u32 {
                self.0
            }

            /// The index of a table position. A method has at most 65,535 instructions, so the
            /// numbers of blocks and edges (at most one per branch offset) stay far below
            /// `u32::MAX`.
            pub(crate) const fn at(position: usize) -> Self {
                Self(position as u32)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self, f)
            }
        }
    };
}

index!(
    /// A block of a method. Blocks of instructions are `0..n` in code order, the virtual ENTRY is
    /// `n`, the virtual EXIT `n + 1`.
    BlockId,
    "block"
);
index!(
    /// An edge of a method, in the order of the blocks that the edges leave.
    EdgeId,
    "edge"
);
