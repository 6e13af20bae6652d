//! How exactly moves of objects are known.

use serde::{Deserialize, Serialize};

/// How exactly moves are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MovesLevel {
    /// Not at all: collections are counted, objects are not looked at.
    #[default]
    Off,
    /// Only traces of earlier builds have it: moves of full collections and of failed evacuations were
    /// reconstructed from the heap that they left; successful young and mixed collections are exact.
    Finish,
    /// The heap is read inside the pause: every collection is exact.
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
