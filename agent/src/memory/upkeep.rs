//! What the agent's own thread does for the memory.

use std::time::{Duration, Instant};

use super::MEMORY;
use crate::agent::Agent;

const SECOND: Duration = Duration::from_secs(1);

/// When the current second began.
pub(crate) struct MemorySecond(Instant);

impl MemorySecond {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }
}

impl Agent {
    /// Gives the system what the agent does not need. Every second, the log says how much memory there is.
    pub(crate) fn look_after_memory(&self, second: &mut MemorySecond) {
        if self.is_tracing() && self.collections.are_watched() {
            MEMORY.prepare_for_pauses();
        }
        MEMORY.give_back();
        if second.0.elapsed() >= SECOND {
            *second = MemorySecond::new();
            let memory = MEMORY.end_second();
            self.log
                .debug(|| format!("{memory}; {}", self.memory_for_objects()));
        }
    }

    /// How much of what is in use at this moment is for objects: those of the mirror, which has dead ones until a collection comes to them, and those that wait for a
    /// collection.
    fn memory_for_objects(&self) -> String {
        let stats = self.tracing().map(|tracing| tracing.log().stats());
        let stats = stats.unwrap_or_default();
        let objects = stats.mirror_bytes + stats.retained_bytes;
        let (_, large) = MEMORY.in_use();
        format!("now large {large}, for objects {objects}")
    }

    /// Says what is in use when all events are written: nothing waits any more, and the live objects are not mirrored any more.
    pub(crate) fn tell_memory_at_end(&self) {
        MEMORY.forget_pauses();
        self.log.debug(|| {
            let (small, large) = MEMORY.in_use();
            format!("memory in bytes at the end: small {small}, large {large}")
        });
    }
}
