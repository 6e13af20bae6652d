//! Parts of a run: from one moment to another, and the windows that marks cut it into.

use crate::GrowthPoint;
use crate::heap_samples::HeapSample;
use ducktrack_count_model::CountModel;

/// A moment that a part of a run begins or ends at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrowthBound {
    /// Microseconds since the start of the run.
    After(u64),
    /// When this name was marked (the first time).
    Mark(String),
}

/// The time between two marks, or between a mark and an end of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrowthWindow {
    /// The mark it begins with; empty: the start of the run.
    pub name: String,
    /// Microseconds since 1970.
    pub from_micros: u64,
    /// Microseconds since 1970.
    pub until_micros: u64,
}

/// How live objects changed in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WindowGrowth {
    /// Objects more at its end.
    pub count: i64,
    /// Bytes more.
    pub bytes: i64,
    /// Seconds from the first to the last collection in it; 0: there are fewer than two.
    pub seconds: f64,
}

impl GrowthBound {
    /// Microseconds since 1970. `None`: there is no mark.
    pub(crate) fn moment(&self, start: u64, count: &CountModel) -> Option<u64> {
        match self {
            Self::After(micros) => Some(start.saturating_add(*micros)),
            Self::Mark(name) => {
                let marks = count.marks();
                let of_name = marks.iter().find(|(known, _)| known == name);
                of_name.map(|(_, micros)| *micros)
            }
        }
    }
}

/// The samples from one moment to another, both microseconds since 1970.
pub(crate) fn within(samples: Vec<HeapSample>, from: u64, until: u64) -> Vec<HeapSample> {
    let is_in = |sample: &HeapSample| (from..=until).contains(&sample.unix_micros);
    samples.into_iter().filter(is_in).collect()
}

/// The windows that marks make, within the samples at hand.
pub(crate) fn windows(count: &CountModel, samples: &[HeapSample]) -> Vec<GrowthWindow> {
    let marks = count.marks();
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Vec::new();
    };
    let Some((_, first_mark)) = marks.first() else {
        return Vec::new();
    };
    let start = ("", first.unix_micros.min(*first_mark));
    let starts: Vec<(&str, u64)> = [start].into_iter().chain(marks).collect();
    let ends = starts.iter().skip(1).map(|mark| mark.1);
    let ends = ends.chain([last.unix_micros]);
    let windows = starts.iter().zip(ends);
    let windows = windows.map(|((name, from), until)| GrowthWindow {
        name: (*name).to_owned(),
        from_micros: *from,
        until_micros: until,
    });
    windows
        .filter(|window| window.from_micros < window.until_micros)
        .collect()
}

impl GrowthWindow {
    /// What became of these live objects in the window.
    pub(crate) fn growth(&self, points: &[GrowthPoint]) -> WindowGrowth {
        let is_in = |point: &&GrowthPoint| {
            (self.from_micros..=self.until_micros).contains(&point.unix_micros)
        };
        let mut inside = points.iter().filter(is_in);
        let Some(first) = inside.next() else {
            return WindowGrowth::default();
        };
        let last = inside.next_back().unwrap_or(first);
        let change = |from: u64, to: u64| to.cast_signed().wrapping_sub(from.cast_signed());
        WindowGrowth {
            count: change(first.live.count, last.live.count),
            bytes: change(first.live.bytes, last.live.bytes),
            seconds: last.unix_micros.saturating_sub(first.unix_micros) as f64 / 1e6,
        }
    }
}
