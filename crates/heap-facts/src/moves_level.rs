//! How exactly moves of objects are known.

use serde::{Deserialize, Serialize};

/// How exactly moves are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MovesLevel {
    /// Not at all: collections are counted, objects are not looked at.
    #[default]
    Off,
    /// The heap is read when a collection has finished. Successful young and mixed collections are
    /// exact; of full ones and failed evacuations the heap that they left is known, not the moves.
    Finish,
    /// The heap is also read inside the pause: every collection is exact.
    Exact,
}

impl MovesLevel {
    /// The word in options, JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Finish => "finish",
            Self::Exact => "exact",
        }
    }
}
