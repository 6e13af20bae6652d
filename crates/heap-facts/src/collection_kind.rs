//! The part of the heap that a collection collects.

use serde::{Deserialize, Serialize};

/// The kind of pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CollectionKind {
    /// The young spaces or regions.
    #[default]
    Young,
    /// Young and some old regions (G1).
    Mixed,
    /// The whole heap.
    Full,
    /// A pause of concurrent marking (Remark, Cleanup): regions without live objects are freed, nothing moves.
    Cleanup,
    /// Not known to the agent (Shenandoah).
    Other,
    /// The old generation alone, while the program runs (ZGC): new objects are not looked at.
    Old,
}

impl CollectionKind {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Young => "young",
            Self::Mixed => "mixed",
            Self::Full => "full",
            Self::Cleanup => "cleanup",
            Self::Other => "other",
            Self::Old => "old",
        }
    }
}
