//! The two shadows of the heap of `mode=deaths`.

use ducktrack_hotspot::Shadow;

/// A word for each object for its last use, and one for the last time it lost a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadows {
    pub(crate) used: Shadow,
    pub(crate) lost: Shadow,
}
