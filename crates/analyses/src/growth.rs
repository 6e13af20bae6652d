//! Whose live objects become more and more.

pub(crate) mod analysis;
pub(crate) mod builder;
pub(crate) mod doubts;
pub(crate) mod groups;
pub(crate) mod span;
pub(crate) mod verdict;

use std::sync::Arc;

use crate::{GrowthWindow, LiveCaller, WindowGrowth};
use ducktrack_count_model::SiteIndex;
use ducktrack_heap_replay::{CollectionNumber, KnownStretch};
use ducktrack_live_heap::Amount;

/// Verdicts on the live counts of sites and types over the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// Growing ones first (steepest in bytes first), then those that may grow, then periodic, bounded and unknown, most live bytes first. At most a row per site and one per type.
    pub rows: Vec<GrowthRow>,
    /// Collections the verdicts are from. A stretch with fewer than [`Growth::FEWEST_COLLECTIONS`] has none.
    pub collections: u64,
    /// False: the heap is not known (no moves recorded, or lost at once).
    pub known: bool,
    /// In which the heap is known; the verdicts of a row are in this order.
    pub stretches: Vec<KnownStretch>,
    /// When a collection last looked at the old space. `None`: no collection did, so its live objects are unknown.
    pub last_look: Option<OldSpaceLook>,
    /// Sites that grow as one curve: places in `rows`. The group that grows most bytes first, in each the row that does.
    pub groups: Vec<Vec<usize>>,
    /// Windows between marks; none without a mark.
    pub windows: Vec<GrowthWindow>,
}

impl Growth {
    /// A verdict needs this many collections.
    pub const FEWEST_COLLECTIONS: u64 = 8;
    /// How a verdict is reached, as one paragraph for reports.
    pub const METHOD: &'static str = "The run after its first fifth is cut into up to 16 windows of equally many collections; of each window the \
        lowest live count counts. A young collection says nothing of the old space: what is there counts as alive only until the last collection that looked there and found it \
        alive (full collections look at all, mixed ones at some; where they did, they speak for the rest). A verdict must hold with all of the others alive and with all of them dead; else it is unknown. Growing: these minima rise (Mann-Kendall test, confidence at least \
        95 %), the last is at least 10 % and 8 objects over the first, and they go on rising in the last third of the run. Periodic: they do not, but the counts of single collections rise and fall by at least half of their \
        mean, at least three times. Bounded: neither, and the confidence is that of there being no rise. Unknown: too few collections, or none that looked. A fall to less than half in the last twentieth of the run is left out if the site \
        grew until then: the program dropped its objects as it ended. The slope is Theil and Sen's median slope of the minima.";
}

/// One site or type.
#[derive(Clone, Debug, PartialEq)]
pub struct GrowthRow {
    /// Whose objects.
    pub subject: GrowthSubject,
    /// The verdict: that of the last stretch that has one.
    pub judged: StretchGrowth,
    /// Which stretch that is, as place in [`Growth::stretches`].
    pub stretch: usize,
    /// The verdicts of all stretches.
    pub stretches: Vec<StretchGrowth>,
    /// Objects that no collection has found dead.
    pub live: Amount,
    /// Of `live`: in old spaces, and not looked at by any full collection since they were made.
    pub unseen: Amount,
    /// Of a site: `live` by caller to blame, most bytes first; empty when no caller is known.
    pub callers: Vec<LiveCaller>,
    /// Live counts over time, at most [`Timeline::MOST_POINTS`](crate::Timeline::MOST_POINTS).
    pub series: Vec<GrowthPoint>,
    /// In the order of [`Growth::windows`].
    pub in_windows: Vec<WindowGrowth>,
}

/// How the live objects of a row develop in one stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchGrowth {
    /// The verdict. After a gap in which the heap was not known, objects that are older have lost their sites; where the verdict depends on whose they are, it
    /// is unknown.
    pub verdict: GrowthVerdict,
    /// From 0 to 1: how sure the verdict is. 0 for unknown; with `may_grow`, how sure the growth is if all in the old space is alive.
    pub confidence: f64,
    /// Objects more per collection.
    pub slope_count: f64,
    /// Bytes more per collection.
    pub slope_bytes: f64,
    /// Objects more per second.
    pub count_per_second: f64,
    /// Bytes more per second.
    pub bytes_per_second: f64,
    /// Unknown only because no collection has looked at the old space: if all there is alive, it grows.
    pub may_grow: bool,
    /// The last collection that counts: after it the objects were dropped, as the program ended.
    pub dropped_after: Option<u32>,
}

impl StretchGrowth {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        verdict: GrowthVerdict::Unknown,
        confidence: 0.0,
        slope_count: 0.0,
        slope_bytes: 0.0,
        count_per_second: 0.0,
        bytes_per_second: 0.0,
        may_grow: false,
        dropped_after: None,
    };
}

/// A collection that looked at the old space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldSpaceLook {
    /// Which.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
    /// It looked at all of it; else (mixed) at some regions.
    pub is_full: bool,
}

/// What a growth row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GrowthSubject {
    /// A site. `None`: objects without an event.
    Site(Option<SiteIndex>),
    /// A type, as descriptor. `None`: type not known.
    Type(Option<Arc<str>>),
}

/// Live objects after a collection (of a few collections in a row in long runs: the fewest).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrowthPoint {
    /// The (last) collection.
    pub collection: u32,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
    /// Live objects.
    pub live: Amount,
}

/// How live counts develop. See [`Growth::METHOD`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrowthVerdict {
    /// Growth without a bound within the run.
    Growing,
    /// Up and down.
    Periodic,
    /// Around one level.
    Bounded,
    /// Too little is known.
    Unknown,
}

impl GrowthVerdict {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Growing => "growing",
            Self::Periodic => "periodic",
            Self::Bounded => "bounded",
            Self::Unknown => "unknown",
        }
    }
}
