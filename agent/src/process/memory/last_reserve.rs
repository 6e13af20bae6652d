//! A reserve for the moment when the kernel gives no more memory.
//!
//! A Rust program whose allocation fails is aborted, and the agent runs inside the program's process. So address space is reserved at the
//! start, untouched, and opened when the kernel refuses memory: one half as free pages for large blocks, the other for small ones, which
//! are never freed. It is for finishing current work: once it is open ([`LastReserve::is_open`]), the agent starts nothing new.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ducktrack_hotspot::Reservation;

use super::free_ranges::Range;

/// Bytes of each half.
const HALF: usize = 12 << 20;
/// Alignment of small blocks in bytes.
const ALIGNMENT: usize = 16;

/// Two halves of one range; all zero until it is set aside.
pub(super) struct LastReserve {
    start: AtomicUsize,
    is_open: AtomicBool,
    pages_given: AtomicBool,
    small_used: AtomicUsize,
}

impl LastReserve {
    pub(super) const fn new() -> Self {
        Self {
            start: AtomicUsize::new(0),
            is_open: AtomicBool::new(false),
            pages_given: AtomicBool::new(false),
            small_used: AtomicUsize::new(0),
        }
    }

    /// Reserves the address space. Returns false if there is none. A second call does nothing.
    pub(super) fn set_aside(&self) -> bool {
        if self.start.load(Ordering::Acquire) != 0 {
            return true;
        }
        let Ok(range) = Reservation::anywhere(2 * HALF) else {
            return false;
        };
        let start = range.keep().as_ptr().expose_provenance();
        self.start.store(start, Ordering::Release);
        true
    }

    /// Whether the kernel has refused memory.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Records that the kernel has refused memory. Returns the pages for large blocks to the first caller.
    pub(super) fn open_pages(&self) -> Option<Range> {
        self.is_open.store(true, Ordering::Relaxed);
        let start = self.start.load(Ordering::Acquire);
        let is_first = start != 0 && !self.pages_given.swap(true, Ordering::AcqRel);
        is_first.then_some(Range {
            start,
            length: HALF,
        })
    }

    /// Takes a small block of at most 8 KB.
    pub(super) fn small(&self, size: usize, align: usize) -> Option<usize> {
        self.is_open.store(true, Ordering::Relaxed);
        let start = self.start.load(Ordering::Acquire);
        if start == 0 || align > ALIGNMENT {
            return None;
        }
        let length = size.next_multiple_of(ALIGNMENT);
        let used = self.small_used.fetch_add(length, Ordering::Relaxed);
        (used + length <= HALF).then_some(start + HALF + used)
    }

    /// Whether this is one of the small blocks.
    pub(super) fn has_small(&self, block: usize) -> bool {
        let start = self.start.load(Ordering::Relaxed);
        start != 0 && block.wrapping_sub(start + HALF) < HALF
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_given_once() {
        let reserve = LastReserve::new();
        assert!(reserve.open_pages().is_none() && reserve.small(8, 8).is_none());
        assert!(reserve.set_aside());
        let pages = reserve.open_pages().expect("pages");
        assert_eq!(pages.length, HALF);
        assert!(reserve.open_pages().is_none() && reserve.is_open());
        let first = reserve.small(20, 8).expect("a block");
        let second = reserve.small(20, 16).expect("a block");
        assert_eq!(second, first + 32);
        assert!(reserve.has_small(first) && !reserve.has_small(pages.start));
        assert!(reserve.small(HALF, 16).is_none(), "that much is not left");
    }
}
