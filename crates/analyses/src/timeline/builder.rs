//! Chooses the columns of a timeline from samples.

use crate::timeline::heap_samples::{HeapSample, SampledColumn};
use crate::{CompositionPoint, Timeline};
use ducktrack_count_model::{SiteColumn, TypeColumn, TypeNames};
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_live_heap::Amount;

/// One kind of columns of a sample.
pub(crate) type Pick = fn(&HeapSample) -> &[SampledColumn];

pub(crate) const SITES: Pick = |sample| &sample.sites;
pub(crate) const TYPES: Pick = |sample| &sample.types;

/// Fills what a timeline says of the composition of the heap.
pub(crate) fn compose(timeline: &mut Timeline, samples: &[HeapSample], types: &TypeNames) {
    let site_columns = largest(samples, SITES);
    let type_columns = largest(samples, TYPES);
    timeline.sites = site_columns
        .iter()
        .map(|column| site(*column).site())
        .collect();
    let name = |column: &u32| types.name(TypeColumn(*column)).cloned();
    timeline.types = type_columns.iter().map(name).collect();
    let point = |sample: &HeapSample| CompositionPoint {
        collection: CollectionNumber(sample.collection),
        unix_micros: sample.unix_micros,
        total: sample.total,
        types: amounts(sample, TYPES, &type_columns),
        sites: amounts(sample, SITES, &site_columns),
    };
    timeline.composition = samples.iter().map(point).collect();
}

fn site(column: u32) -> SiteColumn {
    SiteColumn::at(column as usize)
}

/// The columns that took most bytes at any time.
fn largest(samples: &[HeapSample], pick: Pick) -> Vec<u32> {
    let mut peaks: Vec<(u64, u32)> = Vec::new();
    for (column, live) in samples.iter().flat_map(pick) {
        let position = *column as usize;
        if peaks.len() <= position {
            peaks.resize(position + 1, (0, 0));
        }
        if let Some(peak) = peaks.get_mut(position) {
            *peak = (peak.0.max(live.bytes), *column);
        }
    }
    peaks.retain(|(bytes, _)| *bytes > 0);
    peaks.sort_by_key(|(bytes, column)| (core::cmp::Reverse(*bytes), *column));
    peaks.truncate(Timeline::MOST_COLUMNS);
    peaks.into_iter().map(|(_, column)| column).collect()
}

/// What lived of these columns.
pub(crate) fn amounts(sample: &HeapSample, pick: Pick, columns: &[u32]) -> Vec<Amount> {
    let known = pick(sample);
    let amount = |column: &u32| {
        let at = known
            .binary_search_by_key(column, |(known, _)| *known)
            .ok()?;
        known.get(at).map(|(_, live)| *live)
    };
    columns
        .iter()
        .map(|column| amount(column).unwrap_or_default())
        .collect()
}
