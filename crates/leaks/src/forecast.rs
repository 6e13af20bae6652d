//! Of a whole run: does it matter, when is the heap full, and what would not have been seen?

use crate::clock::Clock;
use crate::interval::CONFIDENCE;

/// Spans for which a line may be drawn on: what went on for one goes on for so many more with
/// the chance `1 - CONFIDENCE` (Laplace's rule of succession: after n pieces in a row, m more
/// follow with the chance (n + 1) / (n + m + 1)). What harms only after that says nothing yet.
pub const HORIZON: f64 = CONFIDENCE / (1.0 - CONFIDENCE);

const MB: f64 = 1_048_576.0;

/// HotSpot gives up when full collections free less than this share of the heap (its flag `GCHeapFreeLimit`, in percent).
pub const FREES_NOTHING: f64 = 0.02;

/// Why a straight line is an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alarm {
    /// It doubles the live heap within the horizon.
    Doubles,
    /// It fills the heap within the horizon.
    FillsHeap,
    /// It does so together with others, of which it is one of the largest.
    Together,
}

/// Figures that need the whole heap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Bytes of the judged span.
    pub span_bytes: u64,
    /// Bytes that the program allocates per second while it works; 0: not known.
    pub bytes_per_second: f64,
    /// Live bytes at its end.
    pub live_bytes: u64,
    /// The largest heap, in bytes; 0: not known.
    pub most_bytes: u64,
}

impl Forecast {
    /// A forecast for a run.
    pub fn of(clock: &Clock, live_bytes: u64, most_bytes: u64) -> Self {
        Self {
            span_bytes: clock.bytes(),
            bytes_per_second: clock.bytes_per_second(),
            live_bytes,
            most_bytes,
        }
    }

    /// Bytes kept per megabyte that matter: they double the live heap within the horizon. Less would not have been listed in this run.
    pub fn smallest_rate(&self) -> f64 {
        match self.span_bytes {
            0 => f64::INFINITY,
            span => self.live_bytes as f64 * MB / (span as f64 * HORIZON),
        }
    }

    /// The rate of a leak that keeps these bytes in the whole span.
    pub fn rate_of(&self, bytes: u64) -> f64 {
        match self.span_bytes {
            0 => 0.0,
            span => bytes as f64 * MB / span as f64,
        }
    }

    /// Whether so many bytes per megabyte matter.
    pub fn is_material(&self, bytes_per_mb: f64) -> bool {
        bytes_per_mb > 0.0 && bytes_per_mb >= self.smallest_rate()
    }

    /// Why a straight line with so many bytes per megabyte is an alarm. `None`: it is none.
    pub fn alarm(&self, bytes_per_mb: f64) -> Option<Alarm> {
        let spans = self.spans_until_full(bytes_per_mb);
        if spans.is_some_and(|spans| spans <= HORIZON) {
            return Some(Alarm::FillsHeap);
        }
        self.is_material(bytes_per_mb).then_some(Alarm::Doubles)
    }

    /// Too little was done: if all that the program allocated had stayed, it would be no alarm.
    pub fn is_idle(&self) -> bool {
        self.alarm(MB).is_none()
    }

    /// Seconds of work until the live heap has doubled at this rate.
    pub fn seconds_until_doubled(&self, bytes_per_mb: f64) -> Option<f64> {
        let is_known = bytes_per_mb > 0.0 && self.bytes_per_second > 0.0;
        is_known.then(|| self.live_bytes as f64 / bytes_per_mb * MB / self.bytes_per_second)
    }

    /// After how many more spans like this one the heap is full at this rate. `None`: never, or the largest heap is not known.
    pub fn spans_until_full(&self, bytes_per_mb: f64) -> Option<f64> {
        let bytes = self.allocated_until_full(bytes_per_mb)?;
        (self.span_bytes > 0).then(|| bytes / self.span_bytes as f64)
    }

    /// Bytes more per second of work.
    pub fn per_second(&self, bytes_per_mb: f64) -> f64 {
        bytes_per_mb * self.bytes_per_second / MB
    }

    /// Bytes that can still be allocated until the heap is full at this rate. `None`: never, or the largest heap is not known.
    pub fn allocated_until_full(&self, bytes_per_mb: f64) -> Option<f64> {
        let room = self.most_bytes.saturating_sub(self.live_bytes) as f64;
        (bytes_per_mb > 0.0 && self.most_bytes > 0).then(|| room / bytes_per_mb * MB)
    }

    /// Seconds of work until the heap is full at this rate.
    pub fn seconds_until_full(&self, bytes_per_mb: f64) -> Option<f64> {
        let bytes = self.allocated_until_full(bytes_per_mb)?;
        (self.bytes_per_second > 0.0).then(|| bytes / self.bytes_per_second)
    }

    /// Less than a tenth of the heap is free: the collector runs all the time, and no run that ends so is free of leaks.
    pub fn is_nearly_full(&self) -> bool {
        self.most_bytes > 0 && self.live_bytes >= self.most_bytes / 10 * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_for_what_harms_within_the_horizon() {
        let run = |live_bytes: u64, most_bytes: u64| Forecast {
            span_bytes: 100 << 20,
            bytes_per_second: 1e6,
            live_bytes,
            most_bytes,
        };
        // A tenth of a megabyte in this run, of a heap of ten.
        let rate = MB / 1_000.0;
        assert!(run(10 << 20, 11 << 20).alarm(rate).is_some());
        assert!(run(10 << 20, 64 << 20).alarm(rate).is_none());
        assert!(!run(10 << 20, 64 << 20).is_material(rate));
        // A megabyte: it doubles the ten within the horizon, however much room is left.
        let rate = MB / 100.0;
        assert!(run(10 << 20, 8 << 30).alarm(rate).is_some());
        assert!(run(10 << 20, 0).alarm(rate).is_some());
        // It does not double 100, and fills 110 but not 200.
        assert!(run(100 << 20, 200 << 20).alarm(rate).is_none());
        assert!(run(100 << 20, 110 << 20).alarm(rate).is_some());
        assert!(run(0, 64 << 20).alarm(0.0).is_none());
        assert!(Forecast::default().alarm(1.0).is_none());
        // 100 MB allocated say nothing beside 2 GB that stay.
        assert!(run(2 << 30, 8 << 30).is_idle());
        assert!(!run(1 << 30, 8 << 30).is_idle());
    }
}
