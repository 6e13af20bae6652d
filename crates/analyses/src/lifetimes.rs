//! How long the objects of each site live.

mod analysis;
pub(crate) mod tallies;
pub(crate) mod tally;

use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_live_heap::{Amount, capped};

/// Lifetimes per site, in collections survived and in bytes allocated.
///
/// Where the heap was lost on the way and known again, they are those of the objects that were born in a stretch in
/// which it is known, followed to their death or to the end of that stretch. The fate of all others is unknown
/// (`unknown_fate`), even of those that are still there after the gap: how many of their kind died in it is not knows.
/// So every object is counted once: `allocated` is the sum of the dead, `alive`, `not_yet_collected` and `unknown_fate`.
///
/// A death is known from the collection that finds it. An object in an old space is dead some time before that; its number of survived
/// collections is therefore an upper bound, as in every tool that knows deaths from collections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lifetimes {
    /// Per site, most objects first. Sites without an object on the heap are left out.
    pub sites: Vec<SiteLifetime>,
    /// All sites together.
    pub total: Lives,
    /// Collections the numbers are from: those of
    /// [`TraceInfo::known_stretches`](ducktrack_heap_replay::TraceInfo::known_stretches), or all if there is none.
    pub collections: u64,
    /// False: the trace does not know deaths (no moves recorded, or lost at once); then only `allocated` and `eliminated` hold.
    pub known: bool,
}

impl Lifetimes {
    /// The last entry of a list by collections survived: this many or more.
    pub const MOST_SURVIVED: usize = 31;
}

/// The objects of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteLifetime {
    /// Row in [`CountModel::sites`](ducktrack_count_model::CountModel::sites). `None`: objects without an event.
    pub site: Option<SiteIndex>,
    /// What became of them.
    pub lives: Lives,
    /// `lives` by caller to blame, most objects first; empty when no caller is known.
    pub callers: Vec<CallerLifetime>,
}

/// The objects of one site that one caller is to blame for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallerLifetime {
    /// Row in [`CountModel::calls`](ducktrack_count_model::CountModel::calls). `None`: no tracked call was under way, or it is not known.
    pub call: Option<CallIndex>,
    /// What became of them.
    pub lives: Lives,
}

/// Fates of some objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lives {
    /// Objects that reached the heap in the files at hand, with those that the first synchronization point brought.
    pub allocated: Amount,
    /// Executions whose object the JIT eliminated.
    pub eliminated: u64,
    /// `died[k]`: objects that died after they had survived k collections; `died[0]` before their first. No zeros at the end.
    pub died: Vec<u64>,
    /// The bytes of those objects.
    pub died_bytes: Vec<u64>,
    /// Alive at the last collection; objects allocated after the last collection are in `not_yet_collected`.
    pub alive: Amount,
    /// Allocated after the last collection: dead or alive, that is not known.
    pub not_yet_collected: Amount,
    /// Born or alive where the heap was not known.
    pub unknown_fate: Amount,
    /// Dead objects by the bytes that the whole program allocated between the collection before their
    /// birth and the collection that found them dead (an upper bound of what it allocated during their
    /// life): entry b counts those with 2^(b-1) <= bytes < 2^b, entry 0 those with 0. No zeros at the end.
    pub bytes_until_death: Vec<u64>,
    /// Objects that a collection moved (or turned) from a young to an old space.
    pub promoted: Amount,
    /// Medium-lived objects: promoted, and dead later. The copy and the room in the old space were for nothing.
    pub died_promoted: Amount,
    /// `died_promoted` by collections survived since birth, as `died`.
    pub promoted_died: Vec<u64>,
}

impl Lives {
    /// All dead objects.
    pub fn dead(&self) -> u64 {
        capped::sum(self.died.iter().copied())
    }

    /// Nothing was executed, and nothing was found dead.
    pub(crate) fn is_empty(&self) -> bool {
        self.allocated.is_zero() && self.eliminated == 0 && self.dead() == 0
    }
}
