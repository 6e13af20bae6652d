//! The cost, in pauses, of losing nothing when a JVM is killed: events of threads and survivors are copied
//! into `events.live` while the program stands.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::process::clock::nanos_since;

/// The time of both kinds of copies in all pauses.
#[derive(Debug, Default)]
pub(crate) struct PauseWork {
    pub(crate) buffers: Copies,
    pub(crate) survivors: Copies,
}

/// One kind of copies.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    count: AtomicU64,
    nanos: AtomicU64,
    longest: AtomicU64,
}

impl Copies {
    /// Adds a copy that began at this moment, and ends now.
    pub(crate) fn add_since(&self, start: Instant) {
        let nanos = nanos_since(start);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.longest.fetch_max(nanos, Ordering::Relaxed);
    }
}

impl fmt::Display for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |nanos: &AtomicU64| {
            Duration::from_nanos(nanos.load(Ordering::Relaxed)).as_secs_f64() * 1e3
        };
        write!(
            f,
            "{} times, {:.3} ms together, {:.3} ms at the longest",
            self.count.load(Ordering::Relaxed),
            millis(&self.nanos),
            millis(&self.longest)
        )
    }
}

impl fmt::Display for PauseWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "in pauses, buffers were saved {}; survivors were copied {}",
            self.buffers, self.survivors
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_and_the_longest_is_known() {
        let work = PauseWork::default();
        let past = |millis| {
            Instant::now()
                .checked_sub(Duration::from_millis(millis))
                .expect("the machine runs longer")
        };
        work.buffers.add_since(past(2000));
        work.buffers.add_since(past(1000));
        let text = work.to_string();
        assert!(text.contains("saved 2 times, 3"), "{text}");
        assert!(text.contains("ms together, 2"), "{text}");
        assert!(text.ends_with("copied 0 times, 0.000 ms together, 0.000 ms at the longest"));
    }
}
