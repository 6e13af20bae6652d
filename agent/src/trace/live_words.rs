//! Words of `events.live` in memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// Words from an address on that is a multiple of 8, in an area that is mapped for good.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveWords(pub(crate) usize);

impl LiveWords {
    /// What was stored before is there when this is.
    pub(crate) fn set(self, index: usize, value: u64) {
        self.word(index).store(value, Ordering::Release);
    }

    pub(crate) fn add(self, index: usize) {
        self.word(index).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn word(self, index: usize) -> &'static AtomicU64 {
        // SAFETY: areas are mapped for good and begin at pages; indices are inside of the page or slot that begins here.
        unsafe { &*std::ptr::with_exposed_provenance(self.0 + index * 8) }
    }
}
