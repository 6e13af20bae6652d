//! Typed indices: a block, an edge, a path and a site cannot be mixed up, and print as `block3`.

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

            /// The index of a table position. A graph never has more than `u32::MAX` blocks, edges
            /// or sites: [`GraphBuilder::build`](crate::GraphBuilder::build) checks it.
            pub const fn at(position: usize) -> Self {
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
    /// A block of a graph. The caller's blocks are `0..n`, ENTRY is `n` and EXIT is `n + 1`.
    BlockId,
    "block"
);
index!(
    /// An edge of a graph, numbered in the order in which edges were added.
    EdgeId,
    "edge"
);
index!(
    /// A path of a path set; the hot path is `path0`.
    PathId,
    "path"
);
index!(
    /// A site: something to count, executed once whenever a run goes through its block.
    SiteId,
    "site"
);
