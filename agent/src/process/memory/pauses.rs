//! Memory for pauses: free, and touched before.
//!
//! In a pause every survivor takes some bytes, and the system gives a page for them when it is first written: 0.2 to 2 us each, on virtual machines up to 12. What the agent has
//! free elsewhere is in use again by the next pause, because it grows with the events since the last one. So some memory is kept for pauses alone:
//!
//! ```text
//! pause             blocks come from here, as long as there are any, and come back here; one that is freed later goes to the others
//! now and then      what was taken is put back, touched: as much as a pause of late has had and a quarter more
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::free_ranges::{FreeRanges, Range};
use super::{MEMORY, Memory, PAGE, UNIT, populate};

/// What is kept at least and at most.
const LEAST: usize = 4 << 20;
const MOST: usize = 16 << 20;

/// The memory.
pub(super) struct Pauses {
    /// There is one. Other threads allocate little meanwhile, so it does not matter who does.
    is_on: AtomicBool,
    kept: Mutex<Kept>,
}

struct Kept {
    free: FreeRanges<PAGE>,
    /// Bytes that this pause has taken and not given back, also those that were not here; and the most of it.
    taken: usize,
    most: usize,
    /// What the next pause is expected to have: the most that one has had, an eighth less with every pause since.
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

    /// A block, if there is a pause and it is here.
    pub(super) fn take(&self, length: usize) -> Option<usize> {
        if !self.is_on.load(Ordering::Relaxed) {
            return None;
        }
        let mut kept = self.lock();
        kept.taken += length;
        kept.most = kept.most.max(kept.taken);
        kept.free.take(length)
    }

    /// A block is free, in a pause, and has been kept; false: it is for the others.
    pub(super) fn give(&self, range: Range) -> bool {
        if !self.is_on.load(Ordering::Relaxed) {
            return false;
        }
        let mut kept = self.lock();
        kept.taken = kept.taken.saturating_sub(range.length);
        kept.free.put(range)
    }

    /// What is free here.
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

    /// A part of what is free here, as large as it can be.
    fn take_any(&self) -> Option<Range> {
        self.lock().free.take_units(PAGE, usize::MAX)
    }

    /// As for the other memory.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// A block for a pause, if there is one. What is kept is not in use.
    pub(super) fn take_for_pause(&self, length: usize) -> Option<usize> {
        let start = self.pauses.take(length)?;
        self.lock().use_more(length);
        Some(start)
    }

    /// False: it is not for a pause.
    pub(super) fn give_for_pause(&self, range: Range) -> bool {
        let is_kept = self.pauses.give(range);
        if is_kept {
            self.lock().use_less(range.length);
        }
        is_kept
    }

    /// What was kept is for the others, even in a pause.
    fn give_back_kept(&self, range: Range) {
        self.lock().use_more(range.length);
        self.give_to_all(range);
    }

    /// Puts back what pauses have taken, and takes away what they do not need any more; at most `most` bytes. Not for a thread that anybody waits for.
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
        // For a little it is not worth it.
        if length > LEAST / 8 {
            self.keep_for_pauses(length);
        }
    }

    /// There are no pauses any more.
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

/// What is allocated from now on is for a pause.
pub(crate) fn begin_pause() {
    MEMORY.pauses.begin();
}

/// The pause is over.
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
        // More than there is comes from where it would come from without a pause.
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
        // Pauses that take nothing are prepared for less and less.
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
