//! The vocabulary of heaps and collections on both sides of a trace: where the VM is read, and where its bytes are.
//!
//! Ranges and spaces are of any sort of address ([`HeapAddress`]): one that can be read, or
//! a number in a file. The order of variants and fields is that of the bytes in a trace.

#![forbid(unsafe_code)]

mod address_range;
mod collection_kind;
mod moves_level;
mod space;

pub use address_range::{AddressRange, HeapAddress};
pub use collection_kind::CollectionKind;
pub use moves_level::MovesLevel;
pub use space::{Space, SpaceKind};
