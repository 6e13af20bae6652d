//! `memory=BYTES`: what the agent gives up when its memory reaches the bound. Blocks that already count are never taken back.
//!
//! | what | within the bound | at the bound |
//! |---|---|---|
//! | full buffers of events that wait | `queue`, or a quarter of the bound if that is less | threads wait, or events are dropped and counted (`on-full`) |
//! | heap objects in the mirror | all | at most half of the bound; beyond that, moves and deaths are unknown, which every command reports |
//! | newly loaded classes | rewritten | left unchanged, listed as `memory-bound` |
//! | starting threads | blocks of their own | count into the shared block; their number is reported |

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Core;
use crate::process::memory;

/// The fraction of the bound for the queue of events.
const QUEUE_PART: u64 = 4;
/// The fraction for the mirror of the heap.
const MIRROR_PART: u64 = 2;
/// How often the agent measures its memory, which takes a system call for each block.
const LOOK_EVERY: Duration = Duration::from_secs(1);

impl Core {
    /// Whether the bound has been reached.
    pub(crate) fn is_memory_full(&self) -> bool {
        self.memory_full.load(Ordering::Relaxed)
    }

    /// The agent's resident bytes: blocks of threads, and everything that it has allocated.
    pub(crate) fn own_memory(&self) -> u64 {
        let rows = self
            .facts()
            .map(|facts| self.threads.rows(&facts.threads))
            .unwrap_or_default();
        let blocks: u64 = rows.iter().map(|(row, _)| row.block.resident_bytes()).sum();
        blocks + self.shared.resident_bytes() + memory::in_use() as u64
    }

    /// Measures the memory, if it is time.
    pub(crate) fn watch_memory_bound(&self, last: &mut Option<Instant>) {
        let Some(bound) = self.options.memory else {
            return;
        };
        if last.is_some_and(|last| last.elapsed() < LOOK_EVERY) {
            return;
        }
        *last = Some(Instant::now());
        let full = self.own_memory() >= bound;
        if full && !self.memory_full.swap(full, Ordering::Relaxed) {
            self.add_note(format!(
                "The agent reached its bound of {bound} bytes (option `memory`): classes loaded after that are not counted."
            ));
        }
        self.memory_full.store(full, Ordering::Relaxed);
    }

    /// The maximum size of the heap mirror in bytes.
    pub(crate) fn mirror_within_bound(&self) -> Option<u64> {
        self.options.memory.map(|bound| bound / MIRROR_PART)
    }

    /// The maximum number of queued buffers, with buffers of `buffer` bytes.
    pub(crate) fn queue_within_bound(&self, buffer: usize) -> usize {
        let wanted = self.options.events.queue;
        let Some(bound) = self.options.memory else {
            return wanted;
        };
        let fit = bound / QUEUE_PART / buffer.max(1) as u64;
        wanted.min(usize::try_from(fit).unwrap_or(wanted)).max(1)
    }
}
