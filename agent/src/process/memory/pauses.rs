//! Memory kept for pauses: free, and already touched.
//!
//! In a pause every survivor takes some bytes, and the kernel provides a page for them on the first write: 0.2 to 2 us each, up to 12 us on
//! virtual machines. Other free memory of the agent is in use again by the next pause, because it fills with the events since the last one.
//! So some memory is kept for pauses alone:
//!
//! ```text
//! pause             blocks come from here while any are left, and return here; a block freed later goes to the other free memory
//! now and then      memory is refilled, touched: as much as a recent pause took, and a quarter more
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::free_ranges::{FreeRanges, Range};
use super::{MEMORY, Memory, PAGE, UNIT, populate};

/// Bounds on the memory kept, in bytes.
const LEAST: usize = 4 << 20;
const MOST: usize = 16 << 20;

/// The memory for pauses.
pub(super) struct Pauses {
    /// A pause is under way. Other threads allocate little meanwhile, so they are not distinguished.
    is_on: AtomicBool,
    kept: Mutex<Kept>,
}

struct Kept {
    free: FreeRanges<PAGE>,
    /// Bytes that this pause holds, including those from elsewhere, and their maximum.
    taken: usize,
    most: usize,
    /// Expected bytes for the next pause: the maximum of a pause, reduced by an eighth with every later one.
    expected: usize,
}

impl Kept {
    fn wanted(&self, most: usize) -> usize {
        let wanted = self.expected + self.expected / 4;
        wanted.clamp(LEAST, MOST).min(most).next_multiple_of(UNIT)
    }
}

impl Pauses {
    pub(super) const fn new() -> Self {
        Self {
            is_on: AtomicBool::new(false),
            kept: Mutex::new(Kept {
                free: FreeRanges::new(),
                taken: 0,
                most: 0,
                expected: 0,
            }),
        }
    }

    /// Takes a block, if a pause is under way and there is one.
    pub(super) fn take(&self, length: usize) -> Option<usize> {
        if !self.is_on.load(Ordering::Relaxed) {
            return None;
        }
        let mut kept = self.lock();
        kept.taken += length;
        kept.most = kept.most.max(kept.taken);
        kept.free.take(length)
    }

    /// Returns a block during a pause. Returns false if it belongs to the other memory.
    pub(super) fn give(&self, range: Range) -> bool {
        if !self.is_on.load(Ordering::Relaxed) {
            return false;
        }
        let mut kept = self.lock();
        kept.taken = kept.taken.saturating_sub(range.length);
        kept.free.put(range)
    }

    /// Free bytes kept here.
    pub(super) fn bytes(&self) -> usize {
        self.lock().free.bytes()
    }

    fn begin(&self) {
        let mut kept = self.lock();
        (kept.taken, kept.most) = (0, 0);
        self.is_on.store(true, Ordering::Relaxed);
    }

    fn end(&self) {
        self.is_on.store(false, Ordering::Relaxed);
        let mut kept = self.lock();
        kept.expected = kept.most.max(kept.expected - kept.expected / 8);
    }

    /// Takes the largest free part.
    fn take_any(&self) -> Option<Range> {
        self.lock().free.take_units(PAGE, usize::MAX)
    }

    /// The lock; a poisoned one is still valid.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Takes a block for a pause, if one is under way. Memory kept here does not count as in use.
    pub(super) fn take_for_pause(&self, length: usize) -> Option<usize> {
        let start = self.pauses.take(length)?;
        self.lock().use_more(length);
        Some(start)
    }

    /// Returns a block. Returns false if it does not belong here.
    pub(super) fn give_for_pause(&self, range: Range) -> bool {
        let is_kept = self.pauses.give(range);
        if is_kept {
            self.lock().use_less(range.length);
        }
        is_kept
    }

    /// Moves a kept range to the other memory, even during a pause.
    fn give_back_kept(&self, range: Range) {
        self.lock().use_more(range.length);
        self.give_to_all(range);
    }

    /// Refills the memory that pauses have taken, and removes surplus; keeps at most `most` bytes. Not for threads that others wait for.
    pub(super) fn prepare_for_pauses(&self, most: usize) {
        let mut kept = self.pauses.lock();
        let (wanted, free) = (kept.wanted(most), kept.free.bytes());
        let surplus = match free > wanted + wanted / 2 {
            true => kept.free.take_units(UNIT, free - wanted),
            false => None,
        };
        drop(kept);
        if let Some(range) = surplus {
            self.give_back_kept(range);
        }
        let length = wanted.saturating_sub(free).next_multiple_of(UNIT);
        // Small amounts are not worth it.
        if length > LEAST / 8 {
            self.keep_for_pauses(length);
        }
    }

    /// Releases the memory, because there will be no more pauses.
    pub(super) fn forget_pauses(&self) {
        while let Some(range) = self.pauses.take_any() {
            self.give_back_kept(range);
        }
    }

    fn keep_for_pauses(&self, length: usize) {
        let found = self.lock().take(length);
        let Some(start) = found.or_else(|| self.take_new(length)) else {
            return;
        };
        let range = Range { start, length };
        populate(range);
        self.lock().use_less(length);
        let is_kept = self.pauses.lock().free.put(range);
        if !is_kept {
            self.give_back_kept(range);
        }
    }
}

/// Marks the start of a pause: allocations from now on belong to it.
pub(crate) fn begin_pause() {
    MEMORY.pauses.begin();
}

/// Marks the end of a pause.
pub(crate) fn end_pause() {
    MEMORY.pauses.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_takes_what_was_kept_for_it() {
        let memory = Box::new(Memory::new());
        let kept = || memory.pauses.bytes();
        memory.prepare_for_pauses(usize::MAX);
        assert_eq!(kept(), LEAST);
        assert_eq!(memory.pauses.take(UNIT), None, "there is no pause");
        memory.pauses.begin();
        let (start, is_new) = memory.take(LEAST / 2).expect("memory");
        assert!(!is_new);
        assert_eq!(kept(), LEAST / 2);
        // When the memory here is used up, blocks come from the other memory.
        let (large, _) = memory.take(2 * LEAST).expect("memory");
        let block = |start, length| Range { start, length };
        memory.give(block(large, 2 * LEAST));
        assert_eq!(kept(), LEAST / 2 + 2 * LEAST, "it may be taken again");
        memory.pauses.end();
        memory.give(block(start, LEAST / 2));
        assert_eq!(kept(), LEAST / 2 + 2 * LEAST);
        memory.prepare_for_pauses(usize::MAX);
        let taken = LEAST / 2 + 2 * LEAST;
        assert_eq!(kept(), (taken / 4 * 5).next_multiple_of(UNIT));
        // Less and less is kept for pauses that take nothing.
        for _ in 0..40 {
            memory.pauses.begin();
            memory.pauses.end();
            memory.prepare_for_pauses(usize::MAX);
        }
        assert!((LEAST..=2 * LEAST).contains(&kept()), "{}", kept());
        for _ in 0..8 {
            memory.prepare_for_pauses(LEAST / 4);
        }
        assert!(kept() <= LEAST / 2, "{} are kept", kept());
        memory.forget_pauses();
        assert_eq!((kept(), memory.lock().in_use), (0, 0));
    }
}
