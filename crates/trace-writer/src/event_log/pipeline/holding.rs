//! Buffers are held because the files are full: for how long, and when a collection was requested.

use std::time::{Duration, Instant};

/// How long to wait for a collection while writing is stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often to repeat the request meanwhile.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Since when buffers are held, and when a collection was last requested.
#[derive(Clone, Copy)]
pub(super) struct Holding {
    since: Instant,
    asked: Instant,
}

impl Holding {
    /// Begins holding, just after a request.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            since: now,
            asked: now,
        }
    }

    /// Whether to keep waiting for a collection.
    pub(super) fn is_patient(&self) -> bool {
        self.since.elapsed() < PATIENCE
    }

    /// Whether it is time to repeat the request; if so, the caller repeats it.
    pub(super) fn may_ask_again(&mut self) -> bool {
        let due = self.asked.elapsed() >= ASK_AGAIN;
        if due {
            self.asked = Instant::now();
        }
        due
    }
}
