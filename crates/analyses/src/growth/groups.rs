//! Sites whose live objects rise as one curve: they grow for one reason.
//!
//! Two curves are one if the second is a multiple of the first plus a constant, to [`TOLERANCE`] of its rise (and to a few objects) at every point. Two leaks that
//! are driven by different requests drift apart by more, the more so the longer the run.

use crate::{GrowthRow, GrowthSubject, GrowthVerdict};

/// How far a point may be off, as a share of the rise.
const TOLERANCE: f64 = 0.002;
/// How many objects a point may be off at any rate.
const OBJECTS: f64 = 3.0;

/// Places in `rows` of growing sites, in groups: the group that grows most bytes first, in each the row that does.
pub(crate) fn groups(rows: &[GrowthRow]) -> Vec<Vec<usize>> {
    let is_growing_site = |row: &GrowthRow| {
        row.judged.verdict == GrowthVerdict::Growing
            && matches!(row.subject, GrowthSubject::Site(_))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let growing = rows.iter().enumerate();
    for (place, row) in growing.filter(|(_, row)| is_growing_site(row)) {
        let leader = |group: &[usize]| group.first().and_then(|first| rows.get(*first));
        let mut known = groups.iter_mut();
        match known.find(|group| leader(group).is_some_and(|first| rise_as_one(first, row))) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    let slope = |group: &[usize]| {
        let rows = group.iter().filter_map(|place| rows.get(*place));
        rows.map(|row| row.judged.slope_bytes).sum::<f64>()
    };
    groups.sort_by(|a, b| slope(b).total_cmp(&slope(a)));
    groups
}

fn rise_as_one(a: &GrowthRow, b: &GrowthRow) -> bool {
    let (a, b) = (curve(a), curve(b));
    if a.len() != b.len() {
        return false;
    }
    let (rise_a, rise_b) = (rise(&a), rise(&b));
    if rise_a <= 0.0 || rise_b <= 0.0 {
        return false;
    }
    let (start_a, start_b) = (a.first().copied(), b.first().copied());
    let (start_a, start_b) = (start_a.unwrap_or(0.0), start_b.unwrap_or(0.0));
    let allowed = (TOLERANCE * rise_b).max(OBJECTS * (rise_b / rise_a).max(1.0));
    let mut points = a.iter().zip(&b);
    points.all(|(a, b)| {
        let expected = start_b + (a - start_a) * rise_b / rise_a;
        (b - expected).abs() <= allowed
    })
}

/// The counts that are judged: those after the run's start-up.
fn curve(row: &GrowthRow) -> Vec<f64> {
    let until = row.judged.dropped_after.unwrap_or(u32::MAX);
    let judged = row.series.iter();
    let judged: Vec<f64> = judged
        .filter(|point| point.collection <= until)
        .map(|point| point.live.count as f64)
        .collect();
    let start = judged.len() / 5;
    judged.get(start..).unwrap_or_default().to_vec()
}

fn rise(curve: &[f64]) -> f64 {
    let (first, last) = (curve.first(), curve.last());
    last.copied().unwrap_or(0.0) - first.copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GrowthPoint, StretchGrowth};
    use ducktrack_count_model::SiteIndex;
    use ducktrack_live_heap::Amount;

    fn row(site: usize, counts: &[u64]) -> GrowthRow {
        let judged = StretchGrowth {
            verdict: GrowthVerdict::Growing,
            slope_bytes: (counts[counts.len() - 1] - counts[0]) as f64,
            ..StretchGrowth::UNKNOWN
        };
        GrowthRow {
            subject: GrowthSubject::Site(Some(SiteIndex::at(site))),
            judged,
            stretch: 0,
            stretches: vec![judged],
            live: Amount::default(),
            unseen: Amount::default(),
            callers: Vec::new(),
            series: (0..)
                .zip(counts)
                .map(|(collection, count)| GrowthPoint {
                    collection,
                    unix_micros: 0,
                    live: Amount {
                        count: *count,
                        bytes: 16 * count,
                    },
                })
                .collect(),
            in_windows: Vec::new(),
        }
    }

    #[test]
    fn what_rises_together_is_one_group() {
        // Leaks A and B by random requests; each session of A has two strings.
        let mut random = 7_u64;
        let (mut a, mut b) = (0, 0);
        let steps: Vec<(u64, u64)> = (0..4_000)
            .map(|_| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                if random >> 63 == 0 {
                    a += 1
                } else {
                    b += 1
                }
                (a, b)
            })
            .collect();
        let seen = || steps.iter().step_by(100);
        let of = |value: fn(&(u64, u64)) -> u64| seen().map(value).collect::<Vec<u64>>();
        let rows = [
            row(0, &of(|one| 3 * one.1)),
            row(1, &of(|one| 50 + 2 * one.0)),
            row(2, &of(|one| one.1)),
            row(3, &of(|one| one.0)),
        ];
        assert_eq!(groups(&rows), [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn a_flat_curve_is_in_no_group_with_others() {
        let rows = [row(0, &[1, 2, 3, 4, 5, 6]), row(1, &[9; 6])];
        assert_eq!(groups(&rows), [vec![0], vec![1]]);
    }
}
