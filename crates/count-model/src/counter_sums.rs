//! From counter words to sites: the semantics of counters, applied.
//!
//! A counter with word `v` and terms (site, factor, unit) adds `v * factor` to that unit of that site. This is the
//! sum of the DuckTracks paper; it is exact, so it is done in 128 bits and nothing is clamped on the way.

use ducktrack_trace_format::{Counter, CounterId, SiteId, Unit};
use rustc_hash::FxHashMap;

use crate::definitions::Definitions;
use crate::row_plan::FirstUnknown;

/// The counts of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SiteSums {
    pub(crate) count: i128,
    pub(crate) bytes: i128,
    pub(crate) materialized_count: i128,
    pub(crate) materialized_bytes: i128,
    pub(crate) lengths: Vec<(u8, i128)>,
}

impl SiteSums {
    fn add(&mut self, unit: Unit, amount: i128) {
        let sum = match unit {
            Unit::Count => &mut self.count,
            Unit::Bytes => &mut self.bytes,
            Unit::MaterializedCount => &mut self.materialized_count,
            Unit::MaterializedBytes => &mut self.materialized_bytes,
            Unit::LengthBucket(bucket) => self.length(bucket),
            // Never in a counter's record.
            Unit::Calls => return,
        };
        *sum = sum.saturating_add(amount);
    }

    fn length(&mut self, bucket: u8) -> &mut i128 {
        let at = match self.lengths.binary_search_by_key(&bucket, |entry| entry.0) {
            Ok(at) => at,
            Err(at) => {
                self.lengths.insert(at, (bucket, 0));
                at
            }
        };
        &mut self.lengths[at].1
    }
}

/// Applies the semantics of counters to the words of one thread.
pub(crate) fn site_sums<'a>(
    words: impl Iterator<Item = (&'a CounterId, &'a u64)>,
    definitions: &Definitions,
    unknown: &mut FirstUnknown,
) -> FxHashMap<SiteId, SiteSums> {
    let mut sums: FxHashMap<SiteId, SiteSums> = FxHashMap::default();
    for (id, word) in words.filter(|(_, word)| **word != 0) {
        let Some(counter) = definitions.counters.get(*id) else {
            unknown.note(id.0);
            continue;
        };
        add_counter(counter, *word, &mut sums);
    }
    sums
}

fn add_counter(counter: &Counter, word: u64, sums: &mut FxHashMap<SiteId, SiteSums>) {
    for term in &counter.terms {
        // A 64-bit word times a 32-bit factor fits.
        let amount = i128::from(word) * i128::from(term.factor);
        sums.entry(term.site).or_default().add(term.unit, amount);
    }
}

/// Which units have counters at all, for each site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedUnits {
    pub(crate) bytes: bool,
    pub(crate) materialized: bool,
}

/// Finds out for all sites whether bytes and materialized objects are counted.
pub(crate) fn counted_units(definitions: &Definitions) -> FxHashMap<SiteId, CountedUnits> {
    let mut units: FxHashMap<SiteId, CountedUnits> = FxHashMap::default();
    for term in definitions
        .counters
        .items()
        .iter()
        .flat_map(|counter| &counter.terms)
    {
        let entry = units.entry(term.site).or_default();
        match term.unit {
            Unit::Bytes => entry.bytes = true,
            Unit::MaterializedCount | Unit::MaterializedBytes => entry.materialized = true,
            Unit::Count | Unit::LengthBucket(_) | Unit::Calls => {}
        }
    }
    units
}
