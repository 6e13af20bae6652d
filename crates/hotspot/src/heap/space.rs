//! The spaces of a heap, in addresses that can be read.

use crate::address::Address;

pub use ducktrack_heap_facts::SpaceKind;

/// A part of the heap with objects from `bottom` to `top`.
pub type Space = ducktrack_heap_facts::Space<Address>;
