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
            self.log.debug(|| memory.to_string());
        }
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
