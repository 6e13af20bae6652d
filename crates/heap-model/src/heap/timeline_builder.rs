//! Chooses the columns of a timeline and of growth rows from samples.

use rustc_hash::FxHashMap;

use crate::heap::column::{SiteColumn, TypeColumn};
use crate::heap::growth_verdict::judge;
use crate::heap::heap_samples::{HeapSample, SampledColumn};
use crate::heap::trace_names::TypeNames;
use crate::{
    Amount, CollectionNumber, CompositionPoint, Growth, GrowthPoint, GrowthRow, GrowthSubject,
    GrowthVerdict, LiveCaller, SiteIndex, Timeline,
};

/// One kind of columns of a sample.
type Pick = fn(&HeapSample) -> &[SampledColumn];

const SITES: Pick = |sample| &sample.sites;
const TYPES: Pick = |sample| &sample.types;

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
    for known in samples.iter().flat_map(pick) {
        let position = known.column as usize;
        if peaks.len() <= position {
            peaks.resize(position + 1, (0, 0));
        }
        if let Some(peak) = peaks.get_mut(position) {
            *peak = (peak.0.max(known.last.bytes), known.column);
        }
    }
    peaks.retain(|(bytes, _)| *bytes > 0);
    peaks.sort_by_key(|(bytes, column)| (core::cmp::Reverse(*bytes), *column));
    peaks.truncate(Timeline::MOST_COLUMNS);
    peaks.into_iter().map(|(_, column)| column).collect()
}

fn amounts(sample: &HeapSample, pick: Pick, columns: &[u32]) -> Vec<Amount> {
    let known = pick(sample);
    let amount = |column: &u32| {
        let at = known
            .binary_search_by_key(column, |known| known.column)
            .ok()?;
        known.get(at).map(|known| known.last)
    };
    columns
        .iter()
        .map(|column| amount(column).unwrap_or_default())
        .collect()
}

/// Judges every site and type. `callers` are those of the objects that are alive at the end.
pub(crate) fn grow(
    samples: &[HeapSample],
    types: &TypeNames,
    collections: u64,
    known: bool,
    mut callers: FxHashMap<SiteIndex, Vec<LiveCaller>>,
) -> Growth {
    let mut rows = rows(samples, SITES, collections, |column| {
        GrowthSubject::Site(site(column).site())
    });
    for row in &mut rows {
        if let GrowthSubject::Site(Some(site)) = &row.subject {
            row.callers = callers.remove(site).unwrap_or_default();
        }
    }
    rows.extend(self::rows(samples, TYPES, collections, |column| {
        GrowthSubject::Type(types.name(TypeColumn(column)).cloned())
    }));
    rows.sort_by(|a, b| {
        let steepness = |row: &GrowthRow| match row.verdict {
            GrowthVerdict::Growing => row.slope_bytes,
            _ => 0.0,
        };
        let by_verdict = a.verdict.cmp(&b.verdict);
        let by_slope = || steepness(b).total_cmp(&steepness(a));
        by_verdict
            .then_with(by_slope)
            .then_with(|| b.live.bytes.cmp(&a.live.bytes))
    });
    Growth {
        rows,
        collections,
        known,
    }
}

/// A row for each column that ever had a live object.
fn rows(
    samples: &[HeapSample],
    pick: Pick,
    collections: u64,
    subject: impl Fn(u32) -> GrowthSubject,
) -> Vec<GrowthRow> {
    let mut series: Vec<Vec<GrowthPoint>> = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        for known in pick(sample) {
            let position = known.column as usize;
            if series.len() <= position {
                series.resize(position + 1, Vec::new());
            }
            if let Some(series) = series.get_mut(position) {
                fill_up(series, samples.get(..at).unwrap_or_default());
                series.push(point(sample, known.lowest));
            }
        }
    }
    let mut rows = Vec::new();
    for (position, mut series) in series.into_iter().enumerate() {
        if let Ok(column) = u32::try_from(position)
            && !series.is_empty()
        {
            fill_up(&mut series, samples);
            let last = samples
                .last()
                .map(|sample| amounts(sample, pick, &[column]));
            let live = last
                .and_then(|last| last.first().copied())
                .unwrap_or_default();
            rows.push(row(subject(column), series, live, collections));
        }
    }
    rows
}

fn point(sample: &HeapSample, live: Amount) -> GrowthPoint {
    GrowthPoint {
        collection: sample.collection,
        unix_micros: sample.unix_micros,
        live,
    }
}

/// Zeros for the samples in which a column is not named.
fn fill_up(series: &mut Vec<GrowthPoint>, samples: &[HeapSample]) {
    for sample in samples.get(series.len()..).unwrap_or_default() {
        series.push(point(sample, Amount::default()));
    }
}

fn row(
    subject: GrowthSubject,
    series: Vec<GrowthPoint>,
    live: Amount,
    collections: u64,
) -> GrowthRow {
    let counts: Vec<u64> = series.iter().map(|point| point.live.count).collect();
    let judgement = judge(&counts);
    let per_collection = series.len().max(1) as f64 / collections.max(1) as f64;
    let slope_count = judgement.slope * per_collection.min(1.0);
    let sum: Amount = series.iter().map(|point| point.live).sum();
    let bytes_each = sum.bytes as f64 / sum.count.max(1) as f64;
    GrowthRow {
        subject,
        verdict: judgement.verdict,
        confidence: judgement.confidence,
        slope_count,
        slope_bytes: slope_count * bytes_each,
        live,
        callers: Vec::new(),
        series,
    }
}
