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
        MEMORY.give_back();
        if second.0.elapsed() >= SECOND {
            *second = MemorySecond::new();
            let memory = MEMORY.end_second();
            self.log.debug(|| memory.to_string());
        }
    }
}
