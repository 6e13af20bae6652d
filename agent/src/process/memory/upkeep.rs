//! The lines about memory in the agent's log.

use std::fmt;
use std::time::{Duration, Instant};

use super::MEMORY;
use crate::process::log::Log;

const SECOND: Duration = Duration::from_secs(1);

/// The current second, and the memory in use at each look.
pub(crate) struct MemorySecond {
    began: Instant,
    looks: Vec<Look>,
}

/// Bytes in large blocks at one moment, and those of them for objects: objects in the mirror, including dead ones that no collection has
/// removed yet, and objects that wait for a collection.
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

impl MemorySecond {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            looks: Vec::new(),
        }
    }

    /// Looks at the memory in use, and logs it every second. The long-run test parses this.
    pub(crate) fn look(&mut self, log: &Log, for_objects: u64) {
        let (small, large) = MEMORY.in_use();
        self.looks.push(Look { large, for_objects });
        if self.began.elapsed() >= SECOND {
            log.debug(|| {
                let looks = self.looks.iter().map(Look::to_string);
                let looks = looks.collect::<Vec<_>>().join(", ");
                format!("memory in bytes: small {small}; seen {looks}")
            });
            *self = Self::new();
        }
    }
}

/// Logs the memory in use after all events are written, when nothing waits and no live objects are mirrored.
pub(crate) fn tell_at_end(log: &Log) {
    log.debug(|| {
        let (small, large) = MEMORY.in_use();
        format!("memory in bytes at the end: small {small}, large {large}")
    });
}
