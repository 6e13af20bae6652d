//! Objects of a heap by address, and what collections do to addresses.
//!
//! - [`AddressMap`]: what lies where.
//! - [`FateMap`]: what one collection did to each address; [`AddressHistory`]: what the last ones did.
//! - [`Amount`] and [`capped`]: sums of objects and bytes whose sizes come from untrusted files.
#![forbid(unsafe_code)]

mod address_history;
mod address_map;
mod amount;
pub mod capped;
mod fate_map;
mod offset_sort;
mod validity;

pub use address_history::AddressHistory;
pub use address_map::{AddressMap, HasAddress};
pub use amount::Amount;
pub use fate_map::{Fate, FateCursor, FateMap, merged};
pub use validity::{WITHOUT_MOVES, check_collection, check_survivors};
