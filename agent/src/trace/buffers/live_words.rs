//! Words of `events.live` in memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// Words from an aligned address on, in an area that is never unmapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveWords(pub(crate) usize);

impl LiveWords {
    /// Stores a word after all earlier stores.
    pub(crate) fn set(self, index: usize, value: u64) {
        self.word(index).store(value, Ordering::Release);
    }

    pub(crate) fn add(self, index: usize) {
        self.word(index).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn word(self, index: usize) -> &'static AtomicU64 {
        // SAFETY: areas are never unmapped and begin at pages; indices lie inside the page or slot that begins here.
        unsafe { &*std::ptr::with_exposed_provenance(self.0 + index * 8) }
    }
}
