//! When a limit is reached, if all goes on as in the samples.
//!
//! The heap takes pages in steps, and keeps them: what grows evenly is what collections leave in it. So the charge grows as fast
//! as that and all that is not heap do together, once the pages are filled that the heap has taken and never filled. The kill
//! comes when the heap wants a step more than the limit has room for: at most a step is left over then, on average half of one.

use crate::pauses::Pauses;
use crate::trend::{Trend, trend};

/// A look at the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds since the first.
    pub seconds: f64,
    /// Bytes charged that the kernel cannot take back.
    pub held: u64,
    /// Bytes of objects in the heap, garbage among them; `None`: not known.
    pub heap_used: Option<u64>,
    /// Bytes of the heap in memory, which are in `held`; `None`: not known.
    pub heap_resident: Option<u64>,
    /// The collections so far; `None`: not known.
    pub pauses: Option<Pauses>,
}

/// What ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The heap is full: OutOfMemoryError.
    HeapFull,
    /// The limit of the group is reached: the kernel kills.
    Killed,
}

/// The end that comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// What ends it.
    pub end: End,
    /// In how many seconds from the last sample.
    pub seconds: f64,
    /// It may be as early as that.
    pub earliest: f64,
    /// It may be as late as that.
    pub latest: f64,
}

/// Windows of which the lowest heap counts: what a collection leaves.
const WINDOWS: usize = 8;

/// The trends of charge and of the heap after collections, and the end that comes first; `None`: nothing surely grows towards a limit.
pub fn forecast(
    samples: &[Sample],
    (limit, max_heap): (Option<u64>, Option<u64>),
) -> (Option<Trend>, Option<Trend>, Option<Forecast>) {
    let heap_points = lowest(samples);
    let heap = trend(&heap_points);
    let beside = trend(&beside_heap(samples))
        .or_else(|| trend(&points(samples, |sample| Some(sample.held))));
    let has_resident = samples.iter().any(|sample| sample.heap_resident.is_some());
    let both = beside.zip(heap.filter(|heap| has_resident && heap.grows()));
    let both = both.map(|(beside, heap)| beside.with(heap));
    let held = samples.last().map_or(0.0, |sample| sample.held as f64);
    let unfilled = Unfilled::of(samples);
    let left = |limit: Option<u64>, now: f64| Some((limit? as f64 - now).max(0.0));
    let killed = ending(End::Killed, beside, left(limit, held).map(Left::exactly));
    let killed_by_both = left(limit, held).map(|left| unfilled.added_to(left));
    let killed_by_both = ending(End::Killed, both, killed_by_both);
    let now = heap_points.last().map_or(0.0, |point| point.1);
    let full = ending(End::HeapFull, heap, left(max_heap, now).map(Left::exactly));
    let first = [killed, killed_by_both, full]
        .into_iter()
        .flatten()
        .min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    (both.or(beside), heap, first)
}

/// Bytes until an end: as they are expected, and between which they are.
struct Left {
    expected: f64,
    least: f64,
    most: f64,
}

impl Left {
    fn exactly(bytes: f64) -> Self {
        Self {
            expected: bytes,
            least: bytes,
            most: bytes,
        }
    }
}

/// Bytes of the heap in memory that were never filled while it was looked at.
struct Unfilled {
    now: f64,
    /// The most at any moment: what the heap takes in a step.
    step: f64,
}

impl Unfilled {
    fn of(samples: &[Sample]) -> Self {
        let (mut most_used, mut found) = (
            0,
            Self {
                now: 0.0,
                step: 0.0,
            },
        );
        for sample in samples {
            let (Some(used), Some(resident)) = (sample.heap_used, sample.heap_resident) else {
                continue;
            };
            most_used = most_used.max(used);
            found.now = resident.saturating_sub(most_used) as f64;
            found.step = found.step.max(found.now);
        }
        found
    }

    /// Bytes by which heap and rest can grow until the kill, where the kernel charges `left` bytes more at most.
    fn added_to(&self, left: f64) -> Left {
        let most = left + self.now;
        let less = |part: f64| (most - part * self.step).max(0.0);
        Left {
            expected: less(0.5),
            least: less(1.0),
            most,
        }
    }
}

fn points(samples: &[Sample], bytes: impl Fn(&Sample) -> Option<u64>) -> Vec<(f64, f64)> {
    let known = samples.iter();
    known
        .filter_map(|sample| Some((sample.seconds, bytes(sample)? as f64)))
        .collect()
}

/// The charge without the heap.
fn beside_heap(samples: &[Sample]) -> Vec<(f64, f64)> {
    points(samples, |sample| {
        Some(sample.held.saturating_sub(sample.heap_resident?))
    })
}

fn ending(end: End, trend: Option<Trend>, left: Option<Left>) -> Option<Forecast> {
    let (trend, left) = trend.filter(Trend::grows).zip(left)?;
    Some(Forecast {
        end,
        seconds: left.expected / trend.slope,
        earliest: left.least / trend.high,
        latest: left.most / trend.low,
    })
}

/// The lowest heap of each window: garbage comes and goes.
fn lowest(samples: &[Sample]) -> Vec<(f64, f64)> {
    let known = points(samples, |sample| sample.heap_used);
    let size = known.len().div_ceil(WINDOWS).max(1);
    let least = |window: &[(f64, f64)]| window.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    known.chunks(size).filter_map(least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(held: impl Fn(u32) -> u64, heap: impl Fn(u32) -> u64) -> Vec<Sample> {
        let sample = |at: u32| Sample {
            seconds: f64::from(at),
            held: held(at),
            heap_used: Some(heap(at)),
            heap_resident: None,
            pauses: None,
        };
        (0..20).map(sample).collect()
    }

    #[test]
    fn the_end_that_comes_first_is_told() {
        let leak = samples(|at| 1000 + 10 * u64::from(at), |at| 100 + 5 * u64::from(at));
        let (_, _, end) = forecast(&leak, (Some(2190), None));
        let end = end.expect("an end");
        assert_eq!(end.end, End::Killed);
        assert!((end.seconds - 100.0).abs() < 1e-6);
        let (_, _, end) = forecast(&leak, (Some(2190), Some(300)));
        assert_eq!(end.map(|end| end.end), Some(End::HeapFull));
    }

    /// The heap takes 200 bytes of memory at once and fills them evenly.
    #[test]
    fn steps_of_the_heap_are_smoothed() {
        let used = |at: u32| 100 + 10 * u64::from(at);
        let mut leak = samples(|at| 500 + used(at).next_multiple_of(200), used);
        for sample in &mut leak {
            sample.heap_resident = sample.heap_used.map(|used| used.next_multiple_of(200));
        }
        let (charge, _, end) = forecast(&leak, (Some(1900), None));
        assert!(charge.is_some_and(|trend| (trend.slope - 10.0).abs() < 0.1));
        assert!(
            end.is_some_and(|end| (end.seconds - 100.0).abs() < 5.0),
            "{end:?}"
        );
    }

    #[test]
    fn garbage_is_no_growth() {
        let saw = samples(|_| 1000, |at| 100 + u64::from(at % 4) * 50);
        let (charge, heap, end) = forecast(&saw, (Some(2000), Some(1000)));
        assert!(charge.is_some_and(|trend| !trend.grows()));
        assert!(heap.is_some_and(|trend| !trend.grows()));
        assert_eq!(end, None);
    }
}
