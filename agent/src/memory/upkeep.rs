//! What the agent's own thread does for the memory.

use std::fmt;
use std::time::{Duration, Instant};

use super::MEMORY;
use crate::agent::Agent;

const SECOND: Duration = Duration::from_secs(1);

/// The current second, and what was in use whenever somebody looked.
pub(crate) struct MemorySecond {
    began: Instant,
    looks: Vec<Look>,
}

impl MemorySecond {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            looks: Vec::new(),
        }
    }
}

/// Bytes in large blocks at one moment, and how many of them are for objects: those of the mirror, which has dead ones until a collection comes to them, and those that
/// wait for a collection.
#[derive(Clone, Copy)]
struct Look {
    large: usize,
    for_objects: u64,
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "large {} for objects {}", self.large, self.for_objects)
    }
}

impl Agent {
    /// Gives the system what the agent does not need. Every second, the log says how much memory there is.
    pub(crate) fn look_after_memory(&self, second: &mut MemorySecond) {
        if self.is_tracing() && self.collections.are_watched() {
            MEMORY.prepare_for_pauses();
        }
        MEMORY.give_back();
        second.looks.push(self.look_at_memory());
        if second.began.elapsed() >= SECOND {
            self.tell_memory(second);
            *second = MemorySecond::new();
        }
    }

    fn look_at_memory(&self) -> Look {
        let stats = self.tracing().map(|tracing| tracing.log().stats());
        let stats = stats.unwrap_or_default();
        let (_, large) = MEMORY.in_use();
        Look {
            large,
            for_objects: stats.mirror_bytes + stats.retained_bytes,
        }
    }

    fn tell_memory(&self, second: &MemorySecond) {
        let memory = MEMORY.end_second();
        self.log.debug(|| {
            let looks = second.looks.iter().map(Look::to_string);
            format!("{memory}; seen {}", looks.collect::<Vec<_>>().join(", "))
        });
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
