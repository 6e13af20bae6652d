//! The keys of `ducktrack lifetimes`.

use serde::{Deserialize, Serialize};

use crate::event_trace::amounts::{add_list, sum};
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::{AmountDoc, CallerDoc};

/// Lifetimes per site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifetimesReport {
    /// Always `ducktrack-lifetimes`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// False: the trace does not know deaths; then only `count`, `bytes` and `eliminated` hold.
    pub known: bool,
    /// Collections the numbers are from.
    pub collections: u64,
    /// All sites of the run together.
    pub total: LifetimeDoc,
    /// The sums after the filter, before `top` cuts.
    pub selected: LifetimeDoc,
    /// How many rows it keeps.
    pub rows: RowsDoc,
    /// Objects without an event, if the filter keeps them.
    pub unattributed: Option<LifetimeDoc>,
    /// By site.
    pub sites: Vec<LifetimeSiteDoc>,
}

/// The lives of some objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifetimeDoc {
    /// Objects that reached the heap.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Executions whose object the JIT eliminated; not in `count`.
    pub eliminated: u64,
    /// Objects that died after this many collections; `died[0]` before their first.
    pub died: Vec<u64>,
    /// Their bytes.
    pub died_bytes: Vec<u64>,
    /// Still there at the last collection.
    pub alive: AmountDoc,
    /// Allocated after the last collection: dead or alive, that is not known.
    pub not_yet_collected: AmountDoc,
    /// Made, or alive, where the heap was not known.
    #[serde(default)]
    pub unknown_fate: AmountDoc,
    /// Moved from a young to an old space.
    pub promoted: AmountDoc,
    /// Medium-lived: promoted, and dead later.
    pub died_promoted: AmountDoc,
    /// Objects of `diedPromoted` by collections survived, as `died`.
    pub promoted_died: Vec<u64>,
    /// Dead objects by the bytes that the program allocated from birth to death: entry b has 2^(b-1) to 2^b - 1, entry 0 has 0.
    pub bytes_until_death: Vec<u64>,
}

impl LifetimeDoc {
    /// The lives of all.
    pub(super) fn together<'a>(rows: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for row in rows {
            all.count = all.count.saturating_add(row.count);
            all.bytes = all.bytes.saturating_add(row.bytes);
            all.eliminated = all.eliminated.saturating_add(row.eliminated);
            add_list(&mut all.died, &row.died);
            add_list(&mut all.died_bytes, &row.died_bytes);
            add_list(&mut all.promoted_died, &row.promoted_died);
            add_list(&mut all.bytes_until_death, &row.bytes_until_death);
            all.alive = sum([all.alive, row.alive].into_iter());
            all.not_yet_collected = sum([all.not_yet_collected, row.not_yet_collected].into_iter());
            all.unknown_fate = sum([all.unknown_fate, row.unknown_fate].into_iter());
            all.promoted = sum([all.promoted, row.promoted].into_iter());
            all.died_promoted = sum([all.died_promoted, row.died_promoted].into_iter());
        }
        all
    }

    /// Objects of whose fate anything is known.
    #[must_use]
    pub fn told(&self) -> i64 {
        self.count.saturating_sub(self.unknown_fate.count)
    }

    /// Objects that died before their first collection.
    pub(crate) fn died_young(&self) -> u64 {
        self.died.first().copied().unwrap_or(0)
    }

    /// The middle dead object's bytes until death: below this many. `None`: nothing died.
    pub(crate) fn median_until_death(&self) -> Option<u64> {
        let all: u64 = self
            .bytes_until_death
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count));
        let mut seen = 0_u64;
        for (entry, count) in self.bytes_until_death.iter().enumerate() {
            seen = seen.saturating_add(*count);
            if *count > 0 && seen >= all.div_ceil(2) {
                return u32::try_from(entry)
                    .ok()
                    .map(|bits| 1_u64.checked_shl(bits).unwrap_or(u64::MAX));
            }
        }
        None
    }
}

/// The lives of one site's objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LifetimeSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// How long.
    #[serde(flatten)]
    pub lives: LifetimeDoc,
    /// By blamed caller, as in the counting report; empty when no caller is known, else sums to the site.
    #[serde(default)]
    pub context: Vec<LifetimeContextDoc>,
}

/// The lives of what one caller is to blame for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LifetimeContextDoc {
    /// Who.
    #[serde(flatten)]
    pub caller: CallerDoc,
    /// How long.
    #[serde(flatten)]
    pub lives: LifetimeDoc,
}
