//! Judges every site and type by its live counts, stretch by stretch.
//!
//! After a gap in which the heap was not known, objects that are older have lost their sites: they are *forgotten*. So the count of a site is too low there by some
//! forgotten objects of its type, and how many of those are its own is not known. But they can only become fewer: whatever the site lost of them between two
//! collections, all forgotten objects of the type lost at least as many. With x the count of the site and f that of the forgotten of its type, its true count y satisfies
//!
//! ```text
//! (x + f)(later) - (x + f)(earlier)  <=  y(later) - y(earlier)  <=  x(later) - x(earlier)
//! ```
//!
//! Both series are judged, and where they do not get the same verdict it is unknown. Objects without an event are the other way round: the forgotten are in their count,
//! so x and x - f are judged.
//!
//! Example: a cache of 1,000 objects that are replaced one by one. After a gap x rises from 0 to 1,000 and looks like a leak, x + f stays at 1,000: unknown.

use core::ops::Range;

use rustc_hash::FxHashMap;

use crate::growth::doubts::{GrowthDoubts, Subject};
use crate::growth::verdict::{Judgement, judge};
use crate::heap_samples::HeapSample;
use crate::timeline::builder::{Pick, SITES, TYPES, amounts};
use crate::{
    GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict, GrowthWindow, LiveCaller, StretchGrowth,
};
use ducktrack_count_model::{SiteColumn, SiteIndex, TypeColumn, TypeNames};
use ducktrack_heap_replay::KnownStretch;
use ducktrack_live_heap::Amount;

const FORGOTTEN: Pick = |sample| &sample.forgotten;

/// What rows are made from.
pub(crate) struct GrowthBuilder<'a> {
    pub(crate) samples: &'a [HeapSample],
    pub(crate) types: &'a TypeNames,
    /// By site column.
    pub(crate) site_types: Vec<TypeColumn>,
    pub(crate) stretches: &'a [KnownStretch],
    pub(crate) doubts: &'a GrowthDoubts,
    pub(crate) windows: &'a [GrowthWindow],
}

/// Live objects of a column at each sample.
struct Series {
    points: Vec<GrowthPoint>,
    /// Objects after the last collection of each sample, as high or as low as they can have been seen. Empty: it is the points.
    corrected: Vec<u64>,
    /// Of the objects at each sample: may be dead. Empty: none.
    doubtful: Vec<u64>,
}

impl GrowthBuilder<'_> {
    /// A row for every site and type. `callers` are those of the objects that are alive at the end.
    pub(crate) fn rows(
        &self,
        mut callers: FxHashMap<SiteIndex, Vec<LiveCaller>>,
    ) -> Vec<GrowthRow> {
        let site = |column| GrowthSubject::Site(SiteColumn::at(column as usize).site());
        let ty = |column| GrowthSubject::Type(self.types.name(TypeColumn(column)).cloned());
        let site_of = |column| Subject::Site(SiteColumn::at(column as usize));
        let type_of = |column| Subject::Type(TypeColumn(column));
        let mut rows = self.of_columns(SITES, (site, site_of), |column| self.corrected(column));
        for row in &mut rows {
            if let GrowthSubject::Site(Some(site)) = &row.subject {
                row.callers = callers.remove(site).unwrap_or_default();
            }
        }
        rows.extend(self.of_columns(TYPES, (ty, type_of), |_| Vec::new()));
        rows.sort_by(|a, b| {
            let steepness = |row: &GrowthRow| match row.judged.verdict {
                GrowthVerdict::Growing => row.judged.slope_bytes,
                _ if row.judged.may_grow => row.judged.slope_bytes,
                _ => 0.0,
            };
            // What may grow comes after what does.
            let rank = |row: &GrowthRow| match row.judged.verdict {
                GrowthVerdict::Growing => (0, row.judged.verdict),
                _ if row.judged.may_grow => (1, row.judged.verdict),
                verdict => (2, verdict),
            };
            let by_verdict = rank(a).cmp(&rank(b));
            let by_slope = || steepness(b).total_cmp(&steepness(a));
            by_verdict
                .then_with(by_slope)
                .then_with(|| b.live.bytes.cmp(&a.live.bytes))
        });
        rows
    }

    /// A row for each column that ever had a live object.
    fn of_columns(
        &self,
        pick: Pick,
        (subject, of): (impl Fn(u32) -> GrowthSubject, impl Fn(u32) -> Subject),
        corrected: impl Fn(u32) -> Vec<u64>,
    ) -> Vec<GrowthRow> {
        let mut all: Vec<Vec<GrowthPoint>> = Vec::new();
        for (at, sample) in self.samples.iter().enumerate() {
            for known in pick(sample) {
                let position = known.column as usize;
                if all.len() <= position {
                    all.resize(position + 1, Vec::new());
                }
                if let Some(points) = all.get_mut(position) {
                    fill_up(points, self.samples.get(..at).unwrap_or_default());
                    points.push(point(sample, known.lowest));
                }
            }
        }
        let collections: Vec<u32> = self.samples.iter().map(|one| one.collection).collect();
        let columns = (0_u32..).zip(all).filter(|(_, points)| !points.is_empty());
        let row = |(column, mut points): (u32, Vec<GrowthPoint>)| {
            fill_up(&mut points, self.samples);
            let corrected = corrected(column);
            let series = Series {
                points,
                corrected,
                doubtful: self.doubts.of(of(column), &collections),
            };
            let row = self.row(subject(column), column, pick, series);
            GrowthRow {
                unseen: self.doubts.unseen(of(column)),
                ..row
            }
        };
        columns.map(row).collect()
    }

    /// The other bound of a site's counts; empty when nothing is forgotten.
    fn corrected(&self, column: u32) -> Vec<u64> {
        if self
            .samples
            .iter()
            .all(|sample| sample.forgotten.is_empty())
        {
            return Vec::new();
        }
        let ty = self
            .site_types
            .get(column as usize)
            .copied()
            .unwrap_or_default();
        let count = |sample: &HeapSample| {
            let seen = amounts(sample, SITES, &[column])
                .first()
                .map_or(0, |live| live.count);
            let forgotten = match ty {
                // Of any type.
                TypeColumn::NONE => sample.forgotten.iter().map(|known| known.last.count).sum(),
                ty => amounts(sample, FORGOTTEN, &[ty.0])
                    .first()
                    .map_or(0, |live| live.count),
            };
            match SiteColumn::at(column as usize) {
                SiteColumn::NONE => seen.saturating_sub(forgotten),
                _ => seen.saturating_add(forgotten),
            }
        };
        self.samples.iter().map(count).collect()
    }

    fn row(&self, subject: GrowthSubject, column: u32, pick: Pick, series: Series) -> GrowthRow {
        let last = self.samples.last();
        let live = last.and_then(|last| amounts(last, pick, &[column]).first().copied());
        let stretches = (1..=self.stretches.len()).map(|number| self.judge(number, &series));
        let stretches: Vec<StretchGrowth> = stretches.collect();
        let has_verdict = |growth: &StretchGrowth| growth.verdict != GrowthVerdict::Unknown;
        let stretch = stretches.iter().rposition(has_verdict);
        let stretch = stretch.unwrap_or(stretches.len().saturating_sub(1));
        GrowthRow {
            subject,
            judged: stretches
                .get(stretch)
                .copied()
                .unwrap_or(StretchGrowth::UNKNOWN),
            stretch,
            stretches,
            live: live.unwrap_or_default(),
            unseen: Amount::default(),
            callers: Vec::new(),
            in_windows: self
                .windows
                .iter()
                .map(|window| window.growth(&series.points))
                .collect(),
            series: series.points,
        }
    }

    /// The verdict on the samples of one stretch, the first having the number 1.
    fn judge(&self, number: usize, series: &Series) -> StretchGrowth {
        let from = self
            .samples
            .partition_point(|sample| sample.stretch < number);
        let to = self
            .samples
            .partition_point(|sample| sample.stretch <= number);
        let whole = self.judge_part(from..to, series);
        let points = series.points.get(from..to).unwrap_or_default();
        let before_the_end = ends_in_a_drop(points)
            .map(|kept| self.judge_part(from..from + kept, series))
            .filter(|part| part.judgement.verdict == GrowthVerdict::Growing);
        let dropped_after = before_the_end.as_ref().and_then(|part| {
            let last = part.samples.end.checked_sub(1)?;
            self.samples.get(last).map(|sample| sample.collection)
        });
        let part = before_the_end.unwrap_or(whole);
        let stretch = self.stretches.get(number - 1).copied().unwrap_or_default();
        let collections = stretch.collections().max(1) as f64;
        let of_stretch = (to - from).max(1) as f64;
        let slope_count = part.judgement.slope * (of_stretch / collections).min(1.0);
        let points = series.points.get(part.samples).unwrap_or_default();
        let sum: Amount = points.iter().map(|point| point.live).sum();
        let bytes_each = sum.bytes as f64 / sum.count.max(1) as f64;
        let count_per_second = slope_count * collections_per_second(points);
        StretchGrowth {
            verdict: part.judgement.verdict,
            confidence: part.judgement.confidence,
            slope_count,
            slope_bytes: slope_count * bytes_each,
            count_per_second,
            bytes_per_second: count_per_second * bytes_each,
            may_grow: part.may_grow,
            dropped_after,
        }
    }

    /// The verdict on some samples in a row.
    fn judge_part(&self, samples: Range<usize>, series: &Series) -> PartGrowth {
        let points = series.points.get(samples.clone()).unwrap_or_default();
        let counts: Vec<u64> = points.iter().map(|point| point.live.count).collect();
        let mut judgement = judge(&counts);
        let mut here = self.samples.get(samples.clone()).unwrap_or_default().iter();
        if here.any(|sample| !sample.forgotten.is_empty()) && !series.corrected.is_empty() {
            let corrected = series.corrected.get(samples.clone());
            judgement = agreed(judgement, judge(corrected.unwrap_or_default()));
        }
        let doubtful = series.doubtful.get(samples.clone()).unwrap_or_default();
        let sure = counts.iter().zip(doubtful);
        let sure: Vec<u64> = sure.map(|(all, less)| all.saturating_sub(*less)).collect();
        let (judgement, may_grow) = match doubtful.iter().all(|objects| *objects == 0) {
            true => (judgement, false),
            false => between(judgement, judge(&sure)),
        };
        PartGrowth {
            samples,
            judgement,
            may_grow,
        }
    }
}

/// The verdict on some samples in a row.
struct PartGrowth {
    samples: Range<usize>,
    judgement: Judgement,
    /// Unknown only because of objects that may be dead.
    may_grow: bool,
}

/// What holds whether the doubtful objects are alive (`most`) or dead (`least`; then at least half of the rise must remain: where objects come and go, some are young at
/// the end of the run that were not yet seen to die), and whether it is unknown only because of them.
fn between(most: Judgement, least: Judgement) -> (Judgement, bool) {
    let unknown = Judgement {
        verdict: GrowthVerdict::Unknown,
        confidence: 0.0,
        ..most
    };
    match (most.verdict, least.verdict) {
        (GrowthVerdict::Growing, GrowthVerdict::Growing) if least.slope >= most.slope / 2.0 => {
            (agreed(most, least), false)
        }
        (GrowthVerdict::Growing, _) => {
            let confidence = most.confidence;
            let if_alive = Judgement {
                confidence,
                ..unknown
            };
            (if_alive, true)
        }
        (_, GrowthVerdict::Growing) => (unknown, false),
        _ => (most, false),
    }
}

/// Of a run's time, from its end: one in this many parts, in which a program may drop what it has.
const END: u64 = 20;

/// How many points are before a fall to less than half after which nothing comes back, in the last twentieth of the time or at the last point.
fn ends_in_a_drop(points: &[GrowthPoint]) -> Option<usize> {
    let (first, last) = (points.first()?, points.last()?);
    let span = last.unix_micros.saturating_sub(first.unix_micros);
    let late = last.unix_micros.saturating_sub(span / END);
    let from = points.partition_point(|point| point.unix_micros < late);
    let from = from.min(points.len().saturating_sub(1)).max(1);
    (from..points.len()).find(|at| {
        let before = points.get(at - 1).map_or(0, |point| point.live.count);
        let mut after = points.get(*at..).unwrap_or_default().iter();
        before > 0 && after.all(|point| point.live.count < before / 2)
    })
}

fn collections_per_second(points: &[GrowthPoint]) -> f64 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return 0.0;
    };
    let micros = last.unix_micros.saturating_sub(first.unix_micros);
    let collections = last.collection.saturating_sub(first.collection);
    match micros {
        0 => 0.0,
        micros => f64::from(collections) * 1e6 / micros as f64,
    }
}

/// What holds between two series.
fn agreed(a: Judgement, b: Judgement) -> Judgement {
    let slope = if a.slope.abs() < b.slope.abs() {
        a.slope
    } else {
        b.slope
    };
    if a.verdict != b.verdict {
        return Judgement {
            verdict: GrowthVerdict::Unknown,
            confidence: 0.0,
            slope,
        };
    }
    Judgement {
        confidence: a.confidence.min(b.confidence),
        slope,
        ..a
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap_samples::SampledColumn;
    use GrowthVerdict::{Bounded, Growing, Unknown};
    use ducktrack_heap_replay::CollectionNumber;

    fn column(column: u32, count: u64) -> SampledColumn {
        let last = Amount {
            count,
            bytes: 16 * count,
        };
        SampledColumn {
            column,
            last,
            lowest: last,
        }
    }

    /// After each collection of the second stretch: objects of site 1, and of its type without a site, by what is there.
    fn verdicts(counts: impl Iterator<Item = (u64, u64)>) -> [GrowthVerdict; 3] {
        let sample = |(at, (with, without)): (u32, (u64, u64))| HeapSample {
            collection: at,
            sites: vec![column(0, without), column(1, with)],
            types: vec![column(7, with + without)],
            forgotten: vec![column(7, without)],
            stretch: 2,
            ..HeapSample::default()
        };
        let samples: Vec<HeapSample> = (10..).zip(counts).map(sample).collect();
        let of = |since, until| KnownStretch {
            since: CollectionNumber(since),
            until: CollectionNumber(until),
        };
        let builder = GrowthBuilder {
            samples: &samples,
            types: &TypeNames::default(),
            site_types: vec![TypeColumn::NONE, TypeColumn(7)],
            stretches: &[of(0, 5), of(10, 9 + samples.len() as u32)],
            doubts: &GrowthDoubts::default(),
            windows: &[],
        };
        let rows = builder.rows(FxHashMap::default());
        let is_subject = |subject: &GrowthSubject| {
            let row = rows.iter().find(|row| row.subject == *subject);
            let row = row.expect("a row");
            assert_eq!(row.stretches[0].verdict, Unknown);
            row.stretches[1].verdict
        };
        [
            GrowthSubject::Site(Some(SiteIndex::at(0))),
            GrowthSubject::Type(None),
            GrowthSubject::Site(None),
        ]
        .map(|subject| is_subject(&subject))
    }

    #[test]
    fn a_cache_whose_old_objects_are_forgotten_is_no_leak() {
        let replaced = verdicts((0..100).map(|at| (10 * at, 1_000 - 10 * at)));
        assert_eq!(replaced, [Unknown, Bounded, Bounded]);
        let few_forgotten = verdicts((0..100).map(|at| (500, 20 - at / 5)));
        assert_eq!(few_forgotten, [Bounded, Bounded, Bounded]);
    }

    #[test]
    fn a_leak_is_one_whatever_is_forgotten() {
        let leak = verdicts((0..100).map(|at| (20 * at, 1_000 - 10 * at)));
        assert_eq!(leak, [Growing, Growing, Bounded]);
    }
}
