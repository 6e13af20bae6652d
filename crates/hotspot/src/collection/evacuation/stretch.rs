//! A part of a space that one lane walks, and what the walk found.

use crate::address::Address;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;

/// The objects that start in `start..stop`, in a space that ends at `top`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    /// Caller-chosen key.
    pub(crate) number: usize,
    /// Index of the space.
    pub(crate) space: u32,
    pub(crate) start: Address,
    pub(crate) stop: Address,
    pub(crate) top: Address,
}

/// The result of walking a stretch.
#[derive(Debug)]
pub(crate) struct WalkedStretch {
    pub(crate) stretch: Stretch,
    /// Where its last object ends.
    pub(crate) end: Address,
    pub(crate) walked: u64,
    /// Ascending by `from`; each was confirmed at its new place.
    pub(crate) survivors: Vec<Survivor>,
    pub(crate) fault: Option<MovesFault>,
}
