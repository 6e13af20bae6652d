//! The agent's own cost.

use std::sync::atomic::{AtomicU64, Ordering};

/// Totals since the run began.
#[derive(Default)]
pub(crate) struct Cost {
    pub(crate) classes_seen: AtomicU64,
    pub(crate) classes_rewritten: AtomicU64,
    /// Classes left unchanged because there was no memory to rewrite them.
    pub(crate) classes_without_memory: AtomicU64,
    /// Threads that count into the shared block.
    pub(crate) threads_without_block: AtomicU64,
    pub(crate) methods_rewritten: AtomicU64,
    pub(crate) rewrite_nanos: AtomicU64,
    pub(crate) code_before: AtomicU64,
    pub(crate) code_after: AtomicU64,
    pub(crate) reinstrumented: AtomicU64,
    pub(crate) snapshot_micros: AtomicU64,
    /// In memory at the last look.
    pub(crate) memory_bytes: AtomicU64,
}

impl Cost {
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }
}
