//! The agent's memory by the word of the system: what reports say. (The bound is kept by the agent's own count, [`super::memory_bound`].)
//!
//! | what | bytes |
//! |---|---|
//! | all that the agent has mapped: counters, buffers, tables, files, blocks from 128 KB on; its library | pages that are in memory, as `VmRSS` counts them |
//! | smaller blocks, among the program's in malloc | what was asked for |

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Core;
use crate::process::memory;

/// The kernel has a word for each page of the agent's addresses, most of which are not in memory.
const LOOK_EVERY: Duration = Duration::from_secs(10);

impl Core {
    /// Bytes of the agent that are in memory now.
    pub(super) fn look_at_memory(&self) -> u64 {
        let mapped = ducktrack_hotspot::resident_of_own_memory();
        let bytes = match mapped {
            Some(bytes) => {
                let shadows = ducktrack_hotspot::resident_of_shadow_files();
                bytes + shadows + memory::of_malloc() as u64
            }
            None => {
                self.say_memory_is_not_known();
                self.own_memory()
            }
        };
        self.cost.memory_bytes.store(bytes, Ordering::Relaxed);
        bytes
    }

    /// Looks, if it is time: what is known when the program is killed.
    pub(crate) fn watch_memory(&self, last: &mut Option<Instant>) {
        if last.is_none_or(|last| last.elapsed() >= LOOK_EVERY) {
            *last = Some(Instant::now());
            self.look_at_memory();
        }
    }

    fn say_memory_is_not_known(&self) {
        if !self.own_count_said.swap(true, Ordering::Relaxed) {
            self.add_note(
                "The agent's memory is its own count: this system does not tell which of its pages are in memory.".to_owned(),
            );
        }
    }
}
