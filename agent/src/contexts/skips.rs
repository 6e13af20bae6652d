//! Contexts that were entered without effect, by reason. Their objects count for the contexts around them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Why a context has no effect. The numbers are those of `DuckTrackContexts.skip`, and places in [`Skips`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// No number is left for its combination with those around it.
    Combinations = 0,
    /// There is no block to count in.
    NoBlock = 1,
    /// Too many contexts are open on the thread.
    TooDeep = 2,
    /// The thread has an open measurement, which reads one block.
    Measured = 3,
    /// A virtual thread that waits found no place for its contexts.
    Waiting = 4,
    /// A virtual thread was mounted before the agent had placed the probes that carry its contexts.
    Arrival = 5,
    /// The agent was still arriving.
    NotReady = 6,
}

impl Skip {
    const ALL: [Self; 7] = [
        Self::Combinations,
        Self::NoBlock,
        Self::TooDeep,
        Self::Measured,
        Self::Waiting,
        Self::Arrival,
        Self::NotReady,
    ];

    fn reason(self) -> &'static str {
        match self {
            Self::Combinations => "too many combinations of contexts",
            Self::NoBlock => {
                "no block of counters was left (all 512 were in use, or the agent's bound of memory was reached)"
            }
            Self::TooDeep => "more than 32 contexts in each other",
            Self::Measured => "inside of a measurement that the program makes of its own thread",
            Self::Waiting => "too many virtual threads wait in contexts",
            Self::NotReady => "the agent was still arriving",
            Self::Arrival => "a virtual thread ran before the agent came, and has waited since",
        }
    }
}

/// How often each reason occurred.
#[derive(Default)]
pub(super) struct Skips([AtomicU64; Skip::ALL.len()]);

impl Skips {
    /// Counts one; the number is that of `DuckTrackContexts.skip`.
    pub(super) fn count(&self, why: i32) {
        let counter = usize::try_from(why).ok().and_then(|why| self.0.get(why));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn add(&self, why: Skip) {
        self.count(why as i32);
    }

    pub(super) fn forget(&self) {
        for counter in &self.0 {
            counter.store(0, Ordering::Relaxed);
        }
    }

    pub(super) fn sentences(&self) -> Vec<String> {
        let counted = Skip::ALL.iter().zip(&self.0);
        let counted = counted.map(|(why, counter)| (why, counter.load(Ordering::Relaxed)));
        counted
            .filter(|(_, times)| *times > 0)
            .map(|(why, times)| {
                format!(
                    "contexts: {times} executions have no figures of their own, their objects are those of the context around: {}",
                    why.reason()
                )
            })
            .collect()
    }
}
