//! Sums over a whole stream.

use crate::death::clock::{Instant, KnownClocks};
use crate::death::contradictions::Contradictions;
use crate::death::shape::HeapShape;

/// Objects and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectSum {
    /// Objects.
    pub objects: u64,
    /// Bytes.
    pub bytes: u64,
}

impl ObjectSum {
    pub(crate) fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// One collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionTotals {
    /// Its number in the stream.
    pub number: u64,
    /// True: it found all that was dead.
    pub complete: bool,
    /// When it was.
    pub at: Instant,
    /// The objects that it found dead.
    pub dead: ObjectSum,
    /// The objects that were not reported dead after it.
    pub live: ObjectSum,
}

/// Events by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Allocations.
    pub allocations: u64,
    /// Updates and stores.
    pub updates: u64,
    /// Uses.
    pub uses: u64,
    /// Roots.
    pub roots: u64,
    /// Method entries.
    pub entries: u64,
    /// Exits, also exceptional ones.
    pub exits: u64,
    /// Stamps of the past.
    pub stamps: u64,
}

/// The abilities of the stream's front end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// All events: uses and updates one by one.
    #[default]
    Full,
    /// Stamps instead of uses and updates: exact deaths, no history of references.
    Deaths,
    /// Only which collection kept an object and which found it dead.
    Bounds,
}

impl Level {
    /// The value of the fact `level`; `None` for a word that is none.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "full" => Self::Full,
            "deaths" => Self::Deaths,
            "bounds" => Self::Bounds,
            _ => return None,
        })
    }

    /// The word in the stream.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Deaths => "deaths",
            Self::Bounds => "bounds",
        }
    }
}

/// How a stream of level `full` records uses: the fact `uses`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uses {
    /// By records.
    #[default]
    Records,
    /// As at level `deaths`: by stamps of dead objects, which also have the references of these objects.
    Stamps,
    /// Not at all: roots have the moments at which objects could be reached last.
    None,
}

impl Uses {
    /// The value of the fact `uses`.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word {
            "stamps" => Self::Stamps,
            "none" => Self::None,
            _ => Self::Records,
        }
    }
}

/// Sums over the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// The abilities of the front end.
    pub level: Level,
    /// Which clocks there are.
    pub clocks: KnownClocks,
    /// The end of the stream.
    pub end: Instant,
    /// Events by kind.
    pub events: EventCounts,
    /// All allocations.
    pub allocated: ObjectSum,
    /// All deaths.
    pub dead: ObjectSum,
    /// Deaths that a complete collection moved to a later time: the front end did not see what kept these objects.
    pub raised: u64,
    /// How uses are recorded, at level `full`.
    pub uses: Uses,
    /// With [`Uses::Stamps`]: references that something else had changed than the updates of the stream.
    pub unseen_updates: u64,
    /// Deaths without a stamp, where uses are stamps: the time of death lies between two collections.
    pub unstamped: u64,
    /// Deaths of objects that the runtime may have replaced by equal ones: the time of death lies between two collections.
    pub replaced: u64,
    /// Every collection.
    pub collections: Vec<CollectionTotals>,
    /// About references.
    pub shape: HeapShape,
    /// Contradictions.
    pub contradictions: Contradictions,
}
