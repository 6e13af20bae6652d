//! Memory for pauses: free, and touched before.
//!
//! In a pause every survivor takes some bytes, and the system gives a page for them when it is first written: 0.2 to 2 us each, on virtual machines up to 12. What the agent has
//! free elsewhere is in use again by the next pause, because it grows with the events since the last one. So some memory is kept for pauses alone:
//!
//! ```text
//! pause             blocks come from here, as long as there are any; whoever frees one gives it to the others
//! now and then      what was taken is put back, touched, as much as a pause of late has taken and a quarter more
//! ```

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::free_ranges::{FreeRanges, Range};
use super::{MEMORY, Memory, UNIT, populate};
use crate::agent::Agent;

/// What is kept at least and at most.
const LEAST: usize = 4 << 20;
const MOST: usize = 64 << 20;

/// The memory.
pub(super) struct Pauses {
    /// There is one. Nobody else allocates much meanwhile, so it does not matter who does.
    is_on: AtomicBool,
    /// Bytes that this pause has taken, also those that were not here.
    taken: AtomicUsize,
    kept: Mutex<Kept>,
}

struct Kept {
    free: FreeRanges,
    /// What the next pause is expected to take: the most that one has taken, an eighth less with every pause since.
    expected: usize,
}

impl Kept {
    fn wanted(&self) -> usize {
        let wanted = self.expected + self.expected / 4;
        wanted.clamp(LEAST, MOST).next_multiple_of(UNIT)
    }
}

impl Pauses {
    pub(super) const fn new() -> Self {
        Self {
            is_on: AtomicBool::new(false),
            taken: AtomicUsize::new(0),
            kept: Mutex::new(Kept {
                free: FreeRanges::new(),
                expected: 0,
            }),
        }
    }

    /// A block, if there is a pause and it is here.
    pub(super) fn take(&self, length: usize) -> Option<usize> {
        if !self.is_on.load(Ordering::Relaxed) {
            return None;
        }
        self.taken.fetch_add(length, Ordering::Relaxed);
        self.lock().free.take(length)
    }

    fn begin(&self) {
        self.taken.store(0, Ordering::Relaxed);
        self.is_on.store(true, Ordering::Relaxed);
    }

    fn end(&self) {
        self.is_on.store(false, Ordering::Relaxed);
        let taken = self.taken.load(Ordering::Relaxed);
        let mut kept = self.lock();
        kept.expected = taken.max(kept.expected - kept.expected / 8);
    }

    /// As for the other memory.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Puts back what pauses have taken, and takes away what they do not need any more. Not for a thread that anybody waits for.
    fn prepare_for_pauses(&self) {
        let mut kept = self.pauses.lock();
        let (wanted, free) = (kept.wanted(), kept.free.bytes());
        let surplus = match free > wanted * 2 {
            true => kept.free.take_units(UNIT, free - wanted),
            false => None,
        };
        drop(kept);
        if let Some(range) = surplus {
            self.give(range);
        }
        let length = wanted.saturating_sub(free).next_multiple_of(UNIT);
        // For a little it is not worth it.
        if length > LEAST / 8 {
            self.keep_for_pauses(length);
        }
    }

    fn keep_for_pauses(&self, length: usize) {
        let found = self.lock().take(length);
        let Some(start) = found.or_else(|| self.take_new(length)) else {
            return;
        };
        let range = Range { start, length };
        populate(range);
        let is_kept = self.pauses.lock().free.put(range);
        if !is_kept {
            self.give(range);
        }
    }
}

impl Agent {
    /// What is allocated from now on is for a pause.
    pub(crate) fn begin_memory_of_pause(&self) {
        MEMORY.pauses.begin();
    }

    /// The pause is over.
    pub(crate) fn end_memory_of_pause(&self) {
        MEMORY.pauses.end();
    }

    /// For pauses to come, if the heap is read in them.
    pub(super) fn keep_memory_for_pauses(&self) {
        if self.is_tracing() && self.collections.are_watched() {
            MEMORY.prepare_for_pauses();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_takes_what_was_kept_for_it() {
        let memory = Box::new(Memory::new());
        let kept = || memory.pauses.lock().free.bytes();
        memory.prepare_for_pauses();
        assert_eq!(kept(), LEAST);
        assert_eq!(memory.pauses.take(UNIT), None, "there is no pause");
        memory.pauses.begin();
        let (start, is_new) = memory.take(LEAST / 2).expect("memory");
        assert!(!is_new);
        assert_eq!(kept(), LEAST / 2);
        // More than there is comes from where it would come from without a pause.
        assert!(memory.take(4 * LEAST).is_some());
        memory.pauses.end();
        memory.give(Range {
            start,
            length: LEAST / 2,
        });
        assert_eq!(kept(), LEAST / 2);
        memory.prepare_for_pauses();
        let wanted = (LEAST / 2 + 4 * LEAST) / 4 * 5;
        assert_eq!(kept(), wanted.next_multiple_of(UNIT));
        // Pauses that take nothing are prepared for less and less.
        for _ in 0..40 {
            memory.pauses.begin();
            memory.pauses.end();
            memory.prepare_for_pauses();
        }
        assert!((LEAST..=2 * LEAST).contains(&kept()), "{}", kept());
    }
}
