//! Memory maintenance on the agent's own thread.

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

/// The memory that a recording has and will need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordingMemory {
    /// Bytes for objects: those in the mirror, and those that wait for a collection.
    pub(crate) for_objects: u64,
    /// Whether pauses will need memory.
    pub(crate) pauses_need_memory: bool,
}

impl MemorySecond {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            looks: Vec::new(),
        }
    }
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
    /// Unmaps memory that the agent does not need. Logs the memory every second.
    pub(crate) fn look_after_memory(
        &mut self,
        log: &Log,
        recording: RecordingMemory,
        most_for_pauses: usize,
    ) {
        if recording.pauses_need_memory {
            MEMORY.prepare_for_pauses(most_for_pauses);
        }
        MEMORY.give_back();
        let (_, large) = MEMORY.in_use();
        self.looks.push(Look {
            large,
            for_objects: recording.for_objects,
        });
        if self.began.elapsed() >= SECOND {
            self.tell(log);
            *self = Self::new();
        }
    }

    fn tell(&self, log: &Log) {
        let memory = MEMORY.end_second();
        log.debug(|| {
            let looks = self.looks.iter().map(Look::to_string);
            format!("{memory}; seen {}", looks.collect::<Vec<_>>().join(", "))
        });
    }
}

/// Logs the memory in use after all events are written, when nothing waits and no live objects are mirrored.
pub(crate) fn tell_at_end(log: &Log) {
    MEMORY.forget_pauses();
    log.debug(|| {
        let (small, large) = MEMORY.in_use();
        format!("memory in bytes at the end: small {small}, large {large}")
    });
}
