//! Of a whole run: does it matter, when is the heap full, and what would not have been seen?

use crate::clock::Clock;

/// An alarm is for what adds at least this share to the live heap in the judged span: then a hundred such spans double the heap. Less is listed.
pub const MATERIAL: f64 = 0.01;

const MB: f64 = 1_048_576.0;

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

    /// Bytes kept per megabyte that matter: less would not have raised an alarm in this run.
    pub fn smallest_rate(&self) -> f64 {
        match self.span_bytes {
            0 => f64::INFINITY,
            span => MATERIAL * self.live_bytes as f64 * MB / span as f64,
        }
    }

    /// Whether so many bytes per megabyte matter.
    pub fn is_material(&self, bytes_per_mb: f64) -> bool {
        bytes_per_mb > 0.0 && bytes_per_mb >= self.smallest_rate()
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
