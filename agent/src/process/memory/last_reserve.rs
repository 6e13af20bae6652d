//! A reserve for the moment when the kernel gives no more memory.
//!
//! A Rust program whose allocation fails is aborted, and the agent runs inside the program's process. So address space is reserved at the
//! start, untouched, and used when the kernel refuses memory; its blocks are never freed. It is for finishing current work: once it is open
//! ([`LastReserve::is_open`]), the agent starts nothing new.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ducktrack_hotspot::Reservation;

/// Bytes of the reserve.
const LENGTH: usize = 24 << 20;
/// Alignment of small blocks in bytes.
const ALIGNMENT: usize = 16;

/// One range of addresses; all zero until it is set aside.
pub(super) struct LastReserve {
    start: AtomicUsize,
    is_open: AtomicBool,
    used: AtomicUsize,
}

impl LastReserve {
    pub(super) const fn new() -> Self {
        Self {
            start: AtomicUsize::new(0),
            is_open: AtomicBool::new(false),
            used: AtomicUsize::new(0),
        }
    }

    /// Reserves the address space. Returns false if there is none. A second call does nothing.
    pub(super) fn set_aside(&self) -> bool {
        if self.start.load(Ordering::Acquire) != 0 {
            return true;
        }
        let Ok(range) = Reservation::anywhere(LENGTH) else {
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

    /// Records that the kernel has refused memory, and takes a block.
    pub(super) fn take(&self, size: usize, align: usize) -> Option<usize> {
        self.is_open.store(true, Ordering::Relaxed);
        let start = self.start.load(Ordering::Acquire);
        // Room to align the block in.
        let align = align.max(ALIGNMENT);
        let length = size
            .checked_add(align - ALIGNMENT)?
            .checked_next_multiple_of(ALIGNMENT)?;
        if start == 0 || length > LENGTH {
            return None;
        }
        let used = self.used.fetch_add(length, Ordering::Relaxed);
        (used + length <= LENGTH).then(|| (start + used).next_multiple_of(align))
    }

    /// Whether this is one of its blocks.
    pub(super) fn has(&self, block: usize) -> bool {
        let start = self.start.load(Ordering::Relaxed);
        start != 0 && block.wrapping_sub(start) < LENGTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_given_once() {
        let reserve = LastReserve::new();
        assert!(reserve.take(8, 8).is_none() && reserve.is_open());
        assert!(reserve.set_aside());
        let first = reserve.take(20, 8).expect("a block");
        let second = reserve.take(20, 16).expect("a block");
        assert_eq!(second, first + 32);
        let third = reserve.take(8 << 10, 4 << 10).expect("a block");
        assert!(third >= second + 32 && third.is_multiple_of(4 << 10));
        assert!(reserve.take(LENGTH, 16).is_none(), "that much is not left");
        assert!(reserve.take(usize::MAX, 16).is_none());
        assert!(reserve.has(first) && reserve.has(third) && !reserve.has(first + LENGTH));
    }
}
