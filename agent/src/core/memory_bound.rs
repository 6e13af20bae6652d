//! `memory=BYTES`: what the agent does without once it has as much memory as it may have. It never takes anything back from what counts already.
//!
//! | what | within the bound | beyond |
//! |---|---|---|
//! | full buffers of events that wait | `queue`, or a quarter of the bound if that is less | threads wait, or events are dropped and counted (`on-full`) |
//! | objects of the heap that a trace remembers | all | half of the bound at most; beyond, moves and deaths are not known any more, which every command says |
//! | memory that is kept for pauses | 4 to 16 MB | a sixteenth of the bound at most |
//! | classes that are loaded | rewritten | left as they are, listed as `memory-bound` |
//! | threads that start | blocks of their own | count into the shared block; how many is said |

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Core;
use crate::process::memory;

/// The part of the bound that may wait in the queue of events.
const QUEUE_PART: u64 = 4;
/// The part of it that the mirror of the heap may take.
const MIRROR_PART: u64 = 2;
/// The part of it that is kept for pauses.
const PAUSES_PART: u64 = 16;
/// How often the agent looks what it has: that means one call of the system for each block.
const LOOK_EVERY: Duration = Duration::from_secs(1);

impl Core {
    /// Whether something new must be done without.
    pub(crate) fn is_memory_full(&self) -> bool {
        self.memory_full.load(Ordering::Relaxed)
    }

    /// Bytes of the agent that are resident: blocks of threads, and all that it has allocated.
    pub(crate) fn own_memory(&self) -> u64 {
        let rows = self
            .facts()
            .map(|facts| self.threads.rows(&facts.threads))
            .unwrap_or_default();
        let blocks: u64 = rows.iter().map(|(row, _)| row.block.resident_bytes()).sum();
        blocks + self.shared.resident_bytes() + memory::of_system() as u64
    }

    /// Looks what there is, if it is time.
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
                "The agent had the {bound} bytes of memory that it may have (option `memory`): classes that were loaded after that are not counted."
            ));
        }
        self.memory_full.store(full, Ordering::Relaxed);
    }

    /// Bytes that the mirror of the heap may take.
    pub(crate) fn mirror_within_bound(&self) -> Option<u64> {
        self.options.memory.map(|bound| bound / MIRROR_PART)
    }

    /// Bytes that may be kept for pauses.
    pub(crate) fn pauses_within_bound(&self) -> usize {
        let bound = self.options.memory.map(|bound| bound / PAUSES_PART);
        bound.map_or(usize::MAX, |bound| {
            usize::try_from(bound).unwrap_or(usize::MAX)
        })
    }

    /// Buffers of this many bytes that may wait.
    pub(crate) fn queue_within_bound(&self, buffer: usize) -> usize {
        let wanted = self.options.events.queue;
        let Some(bound) = self.options.memory else {
            return wanted;
        };
        let fit = bound / QUEUE_PART / buffer.max(1) as u64;
        wanted.min(usize::try_from(fit).unwrap_or(wanted)).max(1)
    }
}
