//! Buffers are held because the files are full: for how long, and when a collection was asked for.

use std::time::{Duration, Instant};

/// How long a collection is awaited while nothing may be written.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is asked for meanwhile.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Since when buffers are held, and when a collection was asked for.
#[derive(Clone, Copy)]
pub(super) struct Holding {
    since: Instant,
    asked: Instant,
}

impl Holding {
    /// A collection has just been asked for.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            since: now,
            asked: now,
        }
    }

    /// Whether a collection may still come in time.
    pub(super) fn is_patient(&self) -> bool {
        self.since.elapsed() < PATIENCE
    }

    /// Whether it is time to ask for one again; if so, the caller does.
    pub(super) fn may_ask_again(&mut self) -> bool {
        let due = self.asked.elapsed() >= ASK_AGAIN;
        if due {
            self.asked = Instant::now();
        }
        due
    }
}
