//! Does a series of live counts grow, stay bounded, or go up and down?
//!
//! What a young collection leaves in old spaces may be dead, so counts rise until a collection looks there too: only low points tell. The series, less its
//! first fifth (the program's start), is cut into at most 16 windows, and each is represented by its minimum.
//!
//! - *Rise*: the test of Mann (1945) and Kendall (1975) for a monotonic trend, with ties. S is the number of pairs of windows in which the
//!   later is higher, less those in which it is lower; Z = (S - 1) / sqrt(var S); the confidence is the normal distribution function of Z.
//! - *Slope*: the estimate of Theil (1950) and Sen (1968), the median of the slopes of all pairs.
//! - *Stopped*: what has risen only until two thirds of the way was the start of the program, or a cache that is full: the last third of the windows has less than
//!   a tenth of the rise, and no trend of its own.
//! - *Periodic*: the whole series has at least three swings up and down of at least half of its mean.

use crate::GrowthVerdict;

/// The most windows.
const WINDOWS: usize = 16;
/// The fewest counts a verdict is given on.
const FEWEST: usize = 8;
/// From here on a rise is believed.
const SURE: f64 = 0.95;
/// A rise by less than this share, or by fewer objects, is none.
const LEAST_SHARE: f64 = 0.1;
const LEAST_OBJECTS: f64 = 8.0;
/// The part of the series that is its end: the last window of this many.
const END: usize = 3;
/// Less than this share of the rise is in the end of one that has stopped.
const LEAST_AT_END: f64 = 0.1;
/// Swings up and down that make a series periodic.
const SWINGS: usize = 3;

/// A verdict and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) verdict: GrowthVerdict,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    /// Objects more per count of the series.
    pub(crate) slope: f64,
}

/// Judges the counts after successive collections.
pub(crate) fn judge(counts: &[u64]) -> Judgement {
    let minima = window_minima(counts);
    let slope = median_slope(&minima);
    if counts.len() < FEWEST {
        return Judgement {
            verdict: GrowthVerdict::Unknown,
            confidence: 0.0,
            slope,
        };
    }
    let rise = confidence_of_rise(&minima);
    let swings = swings(counts);
    let rises = rise >= SURE && is_worth_naming(&minima);
    let has_stopped = has_stopped(&minima);
    let (verdict, confidence) = if rises && !has_stopped {
        (GrowthVerdict::Growing, rise)
    } else if swings >= SWINGS {
        let swings = swings as f64;
        (GrowthVerdict::Periodic, swings / (swings + 1.0))
    } else if rises {
        let end = end(&minima);
        (
            GrowthVerdict::Bounded,
            boundedness(confidence_of_rise(end), end),
        )
    } else {
        (GrowthVerdict::Bounded, boundedness(rise, &minima))
    };
    Judgement {
        verdict,
        confidence,
        slope,
    }
}

/// The last third of the windows, with the one before as the level that it begins at.
fn end(minima: &[Minimum]) -> &[Minimum] {
    let start = minima.len() - minima.len() / END;
    minima.get(start.saturating_sub(1)..).unwrap_or_default()
}

/// What has risen does not go on rising.
fn has_stopped(minima: &[Minimum]) -> bool {
    let end = end(minima);
    let rise = |part: &[Minimum]| match (part.first(), part.last()) {
        (Some(first), Some(last)) => last.1 - first.1,
        _ => 0.0,
    };
    let goes_on = confidence_of_rise(end) >= SURE && rise(end) >= LEAST_OBJECTS;
    rise(end) < LEAST_AT_END * rise(minima) && !goes_on
}

/// The middle of a window, and its lowest count.
type Minimum = (f64, f64);

fn window_minima(counts: &[u64]) -> Vec<Minimum> {
    let start = counts.len() / 5;
    let rest = counts.get(start..).unwrap_or_default();
    let windows = rest.len().min(WINDOWS);
    let bounds = |window: usize| window * rest.len() / windows.max(1);
    let minimum = |window: usize| {
        let (from, to) = (bounds(window), bounds(window + 1));
        let lowest = rest.get(from..to)?.iter().min()?;
        Some(((from + to - 1) as f64 / 2.0, *lowest as f64))
    };
    (0..windows).filter_map(minimum).collect()
}

fn pairs(minima: &[Minimum]) -> impl Iterator<Item = (Minimum, Minimum)> {
    let later = |at: usize| minima.get(at + 1..).unwrap_or_default().iter();
    let pairs_with = move |(at, first): (usize, &Minimum)| {
        let first = *first;
        later(at).map(move |second| (first, *second))
    };
    minima.iter().enumerate().flat_map(pairs_with)
}

fn confidence_of_rise(minima: &[Minimum]) -> f64 {
    let sign = |difference: f64| f64::from(i8::from(difference > 0.0) - i8::from(difference < 0.0));
    let s: f64 = pairs(minima).map(|(a, b)| sign(b.1 - a.1)).sum();
    let spread = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    let mut levels: Vec<f64> = minima.iter().map(|minimum| minimum.1).collect();
    levels.sort_by(f64::total_cmp);
    let ties = levels.chunk_by(|a, b| a == b);
    let variance =
        spread(minima.len() as f64) - ties.map(|tie| spread(tie.len() as f64)).sum::<f64>();
    if variance <= 0.0 {
        return 0.5;
    }
    normal_distribution((s - sign(s)) / variance.sqrt())
}

fn median_slope(minima: &[Minimum]) -> f64 {
    let mut slopes: Vec<f64> = pairs(minima)
        .map(|(a, b)| (b.1 - a.1) / (b.0 - a.0))
        .collect();
    slopes.sort_by(f64::total_cmp);
    let middle = slopes.len() / 2;
    match (slopes.len() % 2, slopes.get(middle)) {
        (_, None) => 0.0,
        (1, Some(slope)) => *slope,
        (_, Some(slope)) => (slope + slopes.get(middle - 1).unwrap_or(slope)) / 2.0,
    }
}

fn is_worth_naming(minima: &[Minimum]) -> bool {
    let (Some(first), Some(last)) = (minima.first(), minima.last()) else {
        return false;
    };
    let rise = last.1 - first.1;
    rise >= LEAST_OBJECTS && rise >= LEAST_SHARE * first.1
}

/// How sure it is that there is no rise. Too small a rise is none, whatever its significance.
fn boundedness(rise: f64, minima: &[Minimum]) -> f64 {
    if is_worth_naming(minima) {
        1.0 - rise
    } else {
        SURE.max(1.0 - rise)
    }
}

/// Swings up and down again of at least half of the mean.
fn swings(counts: &[u64]) -> usize {
    let mean = counts.iter().map(|count| *count as f64).sum::<f64>() / counts.len().max(1) as f64;
    let least = (mean / 2.0).max(LEAST_OBJECTS);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut is_up, mut swings) = (false, 0);
    for count in counts.iter().map(|count| *count as f64) {
        low = low.min(count);
        high = high.max(count);
        if !is_up && count - low >= least {
            (is_up, high) = (true, count);
        } else if is_up && high - count >= least {
            (is_up, low) = (false, count);
            swings += 1;
        }
    }
    swings
}

/// The normal distribution function, to 1.5e-7 (Abramowitz and Stegun, 7.1.26).
fn normal_distribution(z: f64) -> f64 {
    let x = z.abs() / core::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [
        0.254_829_592,
        -0.284_496_736,
        1.421_413_741,
        -1.453_152_027,
        1.061_405_429,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let half = 0.5 * sum * (-x * x).exp();
    if z > 0.0 { 1.0 - half } else { half }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GrowthVerdict::{Bounded, Growing, Periodic, Unknown};

    fn verdict(counts: impl IntoIterator<Item = u64>) -> GrowthVerdict {
        judge(&counts.into_iter().collect::<Vec<_>>()).verdict
    }

    /// Noise from 0 to 9.
    fn noise(at: u64) -> u64 {
        at.wrapping_mul(2_654_435_761) >> 7 & 7
    }

    #[test]
    fn growing() {
        assert_eq!(verdict((0..100).map(|at| 1_000 * at)), Growing);
        assert_eq!(verdict((0..100).map(|at| 500 + at + noise(at))), Growing);
        // Ten objects more with each sawtooth, whose teeth are a thousand high.
        assert_eq!(
            verdict((0..200).map(|at| at / 10 * 10 + at % 10 * 100)),
            Growing
        );
        // The start of the program, and a slow leak at the same place.
        assert_eq!(
            verdict((0..100).map(|at| 1_000 * at.min(40) + 5 * at)),
            Growing
        );
        // It becomes slower, and does not end.
        assert_eq!(
            verdict((0..100).map(|at: u32| f64::from(at * 10_000).sqrt() as u64)),
            Growing
        );
        let judgement = judge(&(0..100).map(|at| 7 * at).collect::<Vec<_>>());
        assert!((judgement.slope - 7.0).abs() < 1e-9, "{judgement:?}");
        assert!(judgement.confidence > 0.999);
    }

    #[test]
    fn bounded() {
        assert_eq!(verdict([1_000; 50]), Bounded);
        assert_eq!(verdict([0; 50]), Bounded);
        assert_eq!(verdict((0..100).map(|at| 1_000 + noise(at))), Bounded);
        // Only the start of the program grows.
        assert_eq!(verdict((0..100).map(|at| 100 * at.min(15))), Bounded);
        // The start takes its time: it is over, and nothing rises any more.
        for over in [30, 45, 60] {
            assert_eq!(verdict((0..100).map(|at| 100 * at.min(over))), Bounded);
            assert_eq!(
                verdict((0..100).map(|at| 100 * at.min(over) + noise(at))),
                Bounded
            );
        }
        // As class loaders' locks of a service: a few classes more after its start.
        assert_eq!(
            verdict((0..100_u64).map(|at| 250 * at.min(40) + at / 20)),
            Bounded
        );
        // Falling.
        assert_eq!(verdict((0..100).map(|at| 10_000 - 50 * at)), Bounded);
        // A rise by less than a tenth.
        assert_eq!(verdict((0..100).map(|at| 10_000 + at)), Bounded);
        assert!(judge(&[1_000; 50]).confidence > 0.7);
    }

    #[test]
    fn periodic() {
        assert_eq!(verdict((0..100).map(|at| at % 10 * 100)), Periodic);
        assert_eq!(verdict((0..100).map(|at| 2_000 + at % 25 * 100)), Periodic);
        assert_eq!(
            verdict((0..20).map(|at| at % 20 * 100)),
            Growing,
            "one period is none"
        );
    }

    #[test]
    fn unknown() {
        assert_eq!(verdict([]), Unknown);
        assert_eq!(verdict(0..7), Unknown);
        assert_ne!(verdict((0..8).map(|at| 100 * at)), Unknown);
    }

    #[test]
    fn the_normal_distribution() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_345),
            (1.959_964, 0.975),
            (-1.0, 0.158_655),
            (40.0, 1.0),
        ] {
            assert!((normal_distribution(z) - p).abs() < 1e-5, "{z}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_series_has_a_judgement(counts in proptest::collection::vec(proptest::num::u64::ANY, 0..60)) {
            let judgement = judge(&counts);
            proptest::prop_assert!((0.0..=1.0).contains(&judgement.confidence));
            proptest::prop_assert!(judgement.slope.is_finite());
        }

        #[test]
        fn more_of_a_rise_is_still_one(start in 0_u64..10_000, by in 1_u64..1_000) {
            proptest::prop_assert_eq!(verdict((0..64).map(|at| start + at * by * (start / 300 + 1))), Growing);
        }
    }
}
