//! One method's bytecode as blocks and edges.
//!
//! ```text
//!    0 iload_0          ENTRY
//!    1 ifeq 8             |
//!    4 iconst_1        block0 [0..=1]
//!    5 goto 9            |      \ Branch(1)
//!    8 iconst_2        block1    block2 [8]
//!    9 ireturn        [4..=5]    | FallThrough
//!                        \       |
//!              Branch(5)  block3 [9] -Return-> EXIT
//! ```
//!
//! Edges show normal control flow only. An exception may leave a block in the middle. Blocks in which a handler
//! begins are marked with the entries of the exception table that lead there ([`Block::handler_of`]). `athrow`
//! ends a block without successors.
//!
//! Blocks and edges have the numbers of the crate `path-counters`, so that
//! a method is at once one of its graphs ([`MethodGraph::path_graph`]).
//!
//! Nothing here panics on input: code that breaks a rule yields an [`Error`].

#![forbid(unsafe_code)]

mod block;
mod edge;
mod error;
mod leaders;
mod method_graph;
mod path_graph;

pub use block::Block;
pub use ducktrack_path_counters::{BlockId, EdgeId};
pub use edge::{Edge, EdgeKind};
pub use error::Error;
pub use method_graph::MethodGraph;
